import type {
  DiscoveryV1EndpointPort,
  Endpoint,
  EndpointSubset,
  Pod,
  Service,
  ServicePort,
} from '@fairway/kube/kinds/generated/types';
import { canonicalJson } from '@fairway/kube/object/json';
import { isPodFinished, isPodReady } from '../pods.ts';

/** Endpoints that share the same ports. */
export interface EndpointGroup {
  readonly ports: readonly DiscoveryV1EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** Builds the endpoints of a Service from the pods that it selects, grouped by resolved port numbers. */
export function endpointGroups(
  service: Service,
  pods: readonly Pod[],
  zoneOf: (node: string) => string | undefined,
): EndpointGroup[] {
  const groups = new Map<string, { ports: readonly DiscoveryV1EndpointPort[]; endpoints: Endpoint[] }>();
  for (const pod of pods) {
    if (!pod.status?.podIP || isPodFinished(pod)) continue;
    const ports = portsOf(service, pod);
    const key = canonicalJson(ports);
    const group = groups.get(key) ?? { ports, endpoints: [] };
    groups.set(key, group);
    group.endpoints.push(endpointOf(service, pod, zoneOf));
  }
  return [...groups.values()];
}

function endpointOf({ spec, metadata }: Service, pod: Pod, zoneOf: (node: string) => string | undefined): Endpoint {
  const { nodeName, hostname, subdomain } = pod.spec;
  const serving = isPodReady(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const zone = nodeName ? zoneOf(nodeName) : undefined;
  const { name, namespace, uid } = pod.metadata;
  const ready = spec.publishNotReadyAddresses === true || (serving && !terminating);
  return {
    addresses: [pod.status?.podIP ?? ''],
    conditions: { ready, serving, terminating },
    ...(hostname && subdomain === metadata.name && { hostname }),
    ...(nodeName && { nodeName }),
    targetRef: { kind: 'Pod', ...(namespace && { namespace }), ...(name && { name }), ...(uid && { uid }) },
    ...(zone !== undefined && { zone }),
  };
}

/** A named port that the pod does not declare is omitted for this pod. */
function portsOf({ spec }: Service, pod: Pod): DiscoveryV1EndpointPort[] {
  return (spec.ports ?? []).flatMap((port) => {
    const number = targetPort(port, pod);
    if (number === undefined) return [];
    const { name = '', protocol = 'TCP', appProtocol } = port;
    return [{ name, port: number, protocol, ...(appProtocol !== undefined && { appProtocol }) }];
  });
}

function targetPort({ targetPort, port, protocol = 'TCP' }: ServicePort, pod: Pod): number | undefined {
  if (typeof targetPort !== 'string') return targetPort ?? port;
  const containers = [
    ...(pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always'),
    ...pod.spec.containers,
  ];
  return containers
    .flatMap(({ ports = [] }) => ports)
    .find((candidate) => candidate.name === targetPort && (candidate.protocol ?? 'TCP') === protocol)?.containerPort;
}

/** Converts the endpoints to subsets of the legacy Endpoints kind. */
export function subsetsOf(groups: readonly EndpointGroup[]): EndpointSubset[] {
  const subsets = groups.map(({ ports, endpoints }): EndpointSubset => {
    const live = endpoints.filter(({ conditions }) => conditions?.terminating !== true || conditions.ready === true);
    const addresses = live.filter(({ conditions }) => conditions?.ready).map(addressOf);
    const notReady = live.filter(({ conditions }) => !conditions?.ready).map(addressOf);
    return {
      ...(addresses.length > 0 && { addresses }),
      ...(notReady.length > 0 && { notReadyAddresses: notReady }),
      ports: ports.map(({ name, port = 0, protocol, appProtocol }) => ({
        ...(name && { name }),
        port,
        ...(protocol !== undefined && { protocol }),
        ...(appProtocol !== undefined && { appProtocol }),
      })),
    };
  });
  return subsets.filter(({ addresses, notReadyAddresses }) => addresses ?? notReadyAddresses);
}

function addressOf({ addresses, hostname, nodeName, targetRef }: Endpoint) {
  return {
    ip: addresses[0] ?? '',
    ...(hostname !== undefined && { hostname }),
    ...(nodeName !== undefined && { nodeName }),
    ...(targetRef !== undefined && { targetRef }),
  };
}
