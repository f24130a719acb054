import type { KubeObject } from '@fairway/kube/object/meta';

/**
 * The identity of a Cluster, NodePool or Machine in the cloud and for control planes; all their resources are marked
 * with it. Owner references and preconditions in the API itself use `metadata.uid` instead.
 */
export function identityOf({
  metadata,
  status,
}: KubeObject & { readonly status?: { readonly originUID?: string | undefined } }): string {
  return status?.originUID ?? metadata.uid ?? '';
}
