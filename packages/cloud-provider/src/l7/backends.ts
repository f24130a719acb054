import type { Service } from '@fairway/kube/kinds/generated/types';
import type { Backend } from './route.ts';

/** The node port of a backend. */
export type BackendPlace =
  | {
      readonly nodePort: number;
      /** Only nodes with local endpoints respond. */
      readonly isLocal: boolean;
    }
  | { readonly problem: string };

/** Pure. `service`: the Service that the backend refers to, if it exists. */
export function placeOf({ service: name, port: wanted }: Backend, service: Service | undefined): BackendPlace {
  if (service === undefined) return { problem: `there is no Service ${name}` };
  const { ports, externalTrafficPolicy } = service.spec;
  if (ports === undefined) return { problem: `Service ${name} has no node ports` };
  const found = ports.find(({ name: known, port }) =>
    typeof wanted === 'number' ? port === wanted : known === wanted,
  );
  if (found === undefined) {
    const known = ports.map((port) => `${port.port}${port.name ? ` (${port.name})` : ''}`).join(', ');
    return { problem: `Service ${name} has no node port for port ${wanted}; available: ${known}` };
  }
  if (found.protocol !== undefined && found.protocol !== 'TCP') {
    return { problem: `port ${wanted} of Service ${name} uses ${found.protocol}, but HTTP requires TCP` };
  }
  if (!found.nodePort) return { problem: `port ${wanted} of Service ${name} has no node port` };
  return { nodePort: found.nodePort, isLocal: externalTrafficPolicy === 'Local' };
}

/** The remedy for all of these problems. */
export const BACKEND_HINT = 'a backend must be a Service of type NodePort or LoadBalancer: requests for it get 503';
