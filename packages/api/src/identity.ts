import type { KubeObject } from '@fairway/kube/object/meta';

/**
 * Who a Cluster, NodePool or Machine is to the cloud and to control planes: what marks everything that is made for it. Owner references
 * and preconditions of the API itself take `metadata.uid` instead.
 */
export function identityOf({
  metadata,
  status,
}: KubeObject & { readonly status?: { readonly originUID?: string | undefined } }): string {
  return status?.originUID ?? metadata.uid ?? '';
}
