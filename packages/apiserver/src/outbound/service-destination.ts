import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { EndpointSlice, Service } from '@fairway/kube/kinds/generated/types';
import { EndpointSlices, Services } from '@fairway/kube/kinds/resources';
import type { Destination } from './outbound-client.ts';
import { OutboundError } from './outbound-error.ts';

export interface ServiceTarget {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';

/**
 * Resolves a Service to one of its ready endpoints, like kube-apiserver with `--enable-aggregator-routing`: cluster IPs
 * are not reachable here. Throws an OutboundError with kube-apiserver's message.
 */
export function serviceDestination(
  reader: Pick<ObjectReader, 'get' | 'list'>,
  { namespace, name, port }: ServiceTarget,
  random: () => number,
): Pick<Destination, 'kind' | 'host' | 'port' | 'serverName'> {
  const service = reader.get(Services, namespace, name);
  if (service === undefined) throw new OutboundError(`service ${JSON.stringify(name)} not found`);
  const { type = 'ClusterIP' } = service.spec;
  if (type === 'ExternalName') throw new OutboundError(`unsupported service type ${JSON.stringify(type)}`);
  const servicePort = service.spec.ports?.find((candidate) => candidate.port === port);
  if (servicePort === undefined)
    throw new OutboundError(`no service port ${port} found for service ${JSON.stringify(name)}`);
  const targets = endpointsOf(reader, service, servicePort.name ?? '');
  const target = targets[Math.floor(random() * targets.length)];
  if (target === undefined) throw new OutboundError(`no endpoints available for service ${JSON.stringify(name)}`);
  return { kind: 'cluster', ...target, serverName: `${name}.${namespace}.svc` };
}

function endpointsOf(reader: Pick<ObjectReader, 'list'>, { metadata }: Service, portName: string) {
  const slices = reader
    .list(EndpointSlices, metadata.namespace)
    .filter((slice) => slice.metadata.labels?.[SERVICE_NAME_LABEL] === metadata.name);
  return slices.flatMap((slice) => readyTargets(slice, portName));
}

function readyTargets({ addressType, endpoints = [], ports }: EndpointSlice, portName: string) {
  const port = ports?.find(({ name = '' }) => name === portName)?.port;
  if (port === undefined || addressType === 'FQDN') return [];
  return endpoints
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap(({ addresses }) => addresses.slice(0, 1))
    .map((host) => ({ host, port }));
}
