import type { Pod } from '@fairway/kube/kinds/generated/types';

/** A port of the node that a pod requests. */
export interface HostPort {
  readonly port: number;
  readonly protocol: string;
  readonly ip: string;
}

const ANY_ADDRESS = '0.0.0.0';

export function hostPorts(pod: Pod): HostPort[] {
  return (pod.spec?.containers ?? []).flatMap((container) =>
    (container.ports ?? []).flatMap(({ hostPort, protocol = 'TCP', hostIP }) =>
      hostPort ? [{ port: hostPort, protocol, ip: hostIP || ANY_ADDRESS }] : [],
    ),
  );
}

/** Whether any of the pods uses any of the ports. */
export function hasPortConflict(requested: readonly HostPort[], pods: Iterable<Pod>): boolean {
  if (requested.length === 0) return false;
  const taken = [...pods].flatMap(hostPorts);
  return requested.some((port) =>
    taken.some(
      (other) =>
        other.port === port.port &&
        other.protocol === port.protocol &&
        (other.ip === port.ip || other.ip === ANY_ADDRESS || port.ip === ANY_ADDRESS),
    ),
  );
}
