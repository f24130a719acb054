import type { KubeObject } from '@fairway/kube/object/meta';

/**
 * Who a Cluster, NodePool or Machine is to the cloud and to control planes: what marks everything that is made for it. Owner references
 * and preconditions of the API itself take `metadata.uid` instead.
 */
export function identityOf({ metadata }: KubeObject): string {
  return metadata.uid ?? '';
}
