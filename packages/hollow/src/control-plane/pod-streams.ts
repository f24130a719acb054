import type { CustomSubresource } from '@fairway/apiserver/server/resource';
import { ApiError } from '@fairway/kube/object/api-error';
import type { KubeObject } from '@fairway/kube/object/meta';

/** A subresource that rejects requests with an explanation, because a hollow cluster has no containers. */
function rejectingSubresource(kind: string, why: string): CustomSubresource {
  const refuse = () => Promise.reject(new ApiError(400, 'BadRequest', `a hollow cluster runs no containers: ${why}`));
  return { kind: { group: '', version: 'v1', kind }, get: refuse, create: refuse };
}

/** A rejecting subresource that would open a connection; requests to it pass admission first. */
function rejectingStream(kind: string, why: string): CustomSubresource {
  return { ...rejectingSubresource(kind, why), connect: (query) => optionsOf(kind, query) };
}

const FLAGS = ['stdin', 'stdout', 'stderr', 'tty'];

/** The query as an object: PodExecOptions, PodAttachOptions or PodPortForwardOptions. */
function optionsOf(kind: string, query: URLSearchParams): KubeObject {
  const flags = FLAGS.filter((flag) => query.get(flag) === 'true').map((flag) => [flag, true]);
  const container = query.get('container');
  const command = query.getAll('command');
  const ports = query.getAll('ports').map(Number);
  return {
    kind,
    apiVersion: 'v1',
    metadata: {},
    ...Object.fromEntries(flags),
    ...(container && { container }),
    ...(command.length > 0 && { command }),
    ...(ports.length > 0 && { ports }),
  };
}

export const podStreams: Readonly<Record<string, CustomSubresource>> = {
  log: rejectingSubresource('Pod', 'there are no logs'),
  exec: rejectingStream('PodExecOptions', 'commands cannot be executed'),
  attach: rejectingStream('PodAttachOptions', 'there is nothing to attach to'),
  portforward: rejectingStream('PodPortForwardOptions', 'ports cannot be forwarded'),
};
