import type { Service } from '@fairway/kube/kinds/generated/types';
import type { Backend } from './route.ts';

/** Where on the nodes a backend is. */
export type BackendPlace =
  | {
      readonly nodePort: number;
      /** Only nodes with endpoints of it answer. */
      readonly isLocal: boolean;
    }
  | { readonly problem: string };

/** Pure. `service`: the one that the backend names, if there is one. */
export function placeOf({ service: name, port: wanted }: Backend, service: Service | undefined): BackendPlace {
  if (service === undefined) return { problem: `there is no Service ${name}` };
  const { ports, externalTrafficPolicy } = service.spec;
  if (ports === undefined) return { problem: `Service ${name} has no node ports` };
  const found = ports.find(({ name: known, port }) =>
    typeof wanted === 'number' ? port === wanted : known === wanted,
  );
  if (found === undefined) {
    const known = ports.map((port) => `${port.port}${port.name ? ` (${port.name})` : ''}`).join(', ');
    return { problem: `Service ${name} has no port ${wanted} on the nodes; it has: ${known}` };
  }
  if (found.protocol !== undefined && found.protocol !== 'TCP') {
    return { problem: `port ${wanted} of Service ${name} is ${found.protocol}, and HTTP is served over TCP` };
  }
  if (!found.nodePort) return { problem: `port ${wanted} of Service ${name} has no node port` };
  return { nodePort: found.nodePort, isLocal: externalTrafficPolicy === 'Local' };
}

/** What to do about any of them. */
export const BACKEND_HINT = 'a backend must be a Service of type NodePort or LoadBalancer: requests for it get 503';
