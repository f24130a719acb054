import { clusters } from '@fairway/api/kinds/cluster';
import { KUBECONFIG_SUBRESOURCE } from '@fairway/api/kinds/kubeconfig-request';
import type { ResourcePath } from '@fairway/apiserver/server/router';

/** Whether a request is for credentials of a tenant's cluster. */
export function asksForKubeconfig({ group, plural, subresource }: ResourcePath): boolean {
  return group === clusters.group && plural === clusters.plural && subresource === KUBECONFIG_SUBRESOURCE;
}
