import type { CustomSubresource } from '@fairway/apiserver/server/resource';
import { ApiError } from '@fairway/kube/object/api-error';

/** exec, attach and port-forward: rejected with an explanation, since a hollow cluster has no containers. */
function refusing(kind: string, why: string): CustomSubresource {
  const refuse = () => Promise.reject(new ApiError(400, 'BadRequest', `a hollow cluster runs no containers: ${why}`));
  return { kind: { group: '', version: 'v1', kind }, get: refuse, create: refuse };
}

export const podStreams: Readonly<Record<string, CustomSubresource>> = {
  log: refusing('Pod', 'there are no logs'),
  exec: refusing('PodExecOptions', 'nothing can be executed'),
  attach: refusing('PodAttachOptions', 'there is nothing to attach to'),
  portforward: refusing('PodPortForwardOptions', 'no port leads anywhere'),
};
