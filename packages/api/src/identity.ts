import type { KubeObject } from '@fairway/kube/object/meta';

/**
 * The identity of a Cluster, NodePool or Machine in the cloud and for control planes: it marks all their resources. Owner references
 * and preconditions of the API itself use `metadata.uid` instead.
 */
export function identityOf({
  metadata,
  status,
}: KubeObject & { readonly status?: { readonly originUID?: string | undefined } }): string {
  return status?.originUID ?? metadata.uid ?? '';
}
