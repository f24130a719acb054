import type { Pod } from '@fairway/kube/kinds/generated/types';

/** A port of the node that a pod wants. */
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

/** Whether one of the ports is taken by one of the pods. */
export function hasPortConflict(wanted: readonly HostPort[], pods: Iterable<Pod>): boolean {
  if (wanted.length === 0) return false;
  const taken = [...pods].flatMap(hostPorts);
  return wanted.some((port) =>
    taken.some(
      (other) =>
        other.port === port.port &&
        other.protocol === port.protocol &&
        (other.ip === port.ip || other.ip === ANY_ADDRESS || port.ip === ANY_ADDRESS),
    ),
  );
}
