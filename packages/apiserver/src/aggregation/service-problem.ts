import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { ConditionState } from '@fairway/kube/controller/conditions';
import type { EndpointSlice } from '@fairway/kube/kinds/generated/types';
import { EndpointSlices, Services } from '@fairway/kube/kinds/resources';
import type { ServiceTarget } from '../outbound/service-destination.ts';

export type AvailableState = Omit<ConditionState, 'type'>;

const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';

export const LOCAL_STATE: AvailableState = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};
export const PASSED_STATE: AvailableState = { status: 'True', reason: 'Passed', message: 'all checks passed' };

/** Reasons and messages are the same as in kube-aggregator's remote_available_controller.go. */
export function unavailable(reason: string, message: string): AvailableState {
  return { status: 'False', reason, message };
}

/** Why an APIService's Service is unusable; undefined if it can be called. */
export function serviceProblem(
  reader: Pick<ObjectReader, 'get' | 'list'>,
  { namespace, name, port }: ServiceTarget,
): AvailableState | undefined {
  const serviceDescription = `service/${name} in ${JSON.stringify(namespace)}`;
  const service = reader.get(Services, namespace, name);
  if (service === undefined) return unavailable('ServiceNotFound', `${serviceDescription} is not present`);
  const { type = 'ClusterIP', ports = [] } = service.spec;
  if (type !== 'ClusterIP') return undefined;
  const servicePort = ports.find((candidate) => candidate.port === port);
  if (servicePort === undefined)
    return unavailable('ServicePortError', `${serviceDescription} is not listening on port ${port}`);
  const slices = reader
    .list(EndpointSlices, namespace)
    .filter((slice) => slice.metadata.labels?.[SERVICE_NAME_LABEL] === name);
  if (slices.length === 0) {
    return unavailable('EndpointsNotFound', `cannot find endpointslices for ${serviceDescription}`);
  }
  const { name: portName = '' } = servicePort;
  if (slices.some((slice) => hasEndpoint(slice, portName))) return undefined;
  const message = `endpointslices for ${serviceDescription} have no addresses with port name ${JSON.stringify(portName)}`;
  return unavailable('MissingEndpoints', message);
}

function hasEndpoint({ endpoints = [], ports }: EndpointSlice, portName: string): boolean {
  if (!endpoints.some(({ conditions }) => conditions?.ready !== false)) return false;
  return ports?.some(({ name = '', port }) => name === portName && port !== undefined) ?? false;
}
