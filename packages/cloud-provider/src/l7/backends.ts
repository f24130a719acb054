import type { Service } from '@fairway/kube/kinds/generated/types';
import type { Backend } from './route.ts';

/** The node port of a backend. */
export type BackendNodePort =
  | {
      readonly nodePort: number;
      /** Whether only nodes with local endpoints respond. */
      readonly isLocal: boolean;
    }
  | { readonly problem: string };

/** Pure. `service`: the Service that the backend refers to, if it exists. */
export function nodePortOf(
  { service: name, port: requestedPort }: Backend,
  service: Service | undefined,
): BackendNodePort {
  if (service === undefined) return { problem: `there is no Service ${name}` };
  const { ports, externalTrafficPolicy } = service.spec;
  if (ports === undefined) return { problem: `Service ${name} has no node ports` };
  const found = ports.find(({ name: known, port }) =>
    typeof requestedPort === 'number' ? port === requestedPort : known === requestedPort,
  );
  if (found === undefined) {
    const known = ports.map((port) => `${port.port}${port.name ? ` (${port.name})` : ''}`).join(', ');
    return { problem: `Service ${name} has no node port for port ${requestedPort}; available: ${known}` };
  }
  if (found.protocol !== undefined && found.protocol !== 'TCP') {
    return { problem: `port ${requestedPort} of Service ${name} uses ${found.protocol}, but HTTP requires TCP` };
  }
  if (!found.nodePort) return { problem: `port ${requestedPort} of Service ${name} has no node port` };
  return { nodePort: found.nodePort, isLocal: externalTrafficPolicy === 'Local' };
}

/** What to do about any of these problems. */
export const BACKEND_ADVICE = 'a backend must be a Service of type NodePort or LoadBalancer: requests for it get 503';
