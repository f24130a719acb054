import { keyOf, splitKey } from '@fairway/kube/client/object-key';
import { Controller } from '@fairway/kube/controller/controller';
import { controllerRef } from '@fairway/kube/controller/owners';
import type { Result } from '@fairway/kube/controller/result';
import type { EndpointSlice, Endpoints, Pod, Service } from '@fairway/kube/kinds/generated/types';
import { EndpointSlices, Endpoints as EndpointsResource, Nodes, Pods, Services } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { jsonEqual } from '@fairway/kube/object/json';
import type { ControllerContext } from '../context.ts';
import { indexPodsByNamespace, podsIn } from '../pod-indexes.ts';
import { isPodReady } from '../pods.ts';
import { type EndpointGroup, endpointGroups, subsetsOf } from './endpoints-of-service.ts';
import { planSlices } from './plan-slices.ts';

const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';
const MANAGED_BY_LABEL = 'endpointslice.kubernetes.io/managed-by';
const MANAGER_NAME = 'endpointslice-controller.k8s.io';
const HEADLESS_LABEL = 'service.kubernetes.io/headless';
/** Label of Endpoints that are managed by this controller. */
export const ENDPOINTS_MANAGED_BY_LABEL = 'endpoints.kubernetes.io/managed-by';
const ZONE_LABEL = 'topology.kubernetes.io/zone';

/** Maintains EndpointSlices (and Endpoints, for older clients) for Services with selectors (pkg/controller/endpointslice, endpoint). */
export function endpointSliceController(context: ControllerContext): Controller {
  const { client, informers, clock, random, log } = context;
  const services = informers.informer(Services);
  const pods = indexPodsByNamespace(informers.informer(Pods));
  const nodes = informers.informer(Nodes);
  const slices = informers.informer(EndpointSlices, { labelSelector: `${MANAGED_BY_LABEL}=${MANAGER_NAME}` });
  const endpoints = informers.informer(EndpointsResource);

  async function reconcile(key: string): Promise<Result> {
    const service = services.get(key);
    const { namespace, name } = splitKey(key);
    const existing = slices.list(namespace).filter(({ metadata }) => metadata.labels?.[SERVICE_NAME_LABEL] === name);
    if (service === undefined || service.metadata.deletionTimestamp !== undefined) {
      // EndpointSlices are garbage-collected by owner; Endpoints have no owner.
      if (service === undefined) await removeEndpoints(namespace, name);
      return {};
    }
    if (service.spec.selector === undefined || service.spec.type === 'ExternalName') return {};
    const selected = podsIn(pods, namespace).filter((pod) => isSelected(service, pod));
    const groups = endpointGroups(service, selected, (node) => nodes.get(node)?.metadata.labels?.[ZONE_LABEL]);
    await writeSlices(service, groups, existing);
    await writeEndpoints(service, groups);
    return {};
  }

  async function writeSlices(
    service: Service,
    groups: readonly EndpointGroup[],
    existing: readonly EndpointSlice[],
  ): Promise<void> {
    const labels = sliceLabels(service);
    const { create, update, remove } = planSlices(groups, existing);
    const resource = client.resource(EndpointSlices);
    const relabelled = existing.filter(
      (slice) =>
        !jsonEqual(slice.metadata.labels, labels) &&
        !remove.includes(slice) &&
        !update.some((other) => keyOf(other) === keyOf(slice)),
    );
    for (const group of create) await resource.create(newSlice(service, group, labels));
    for (const slice of [...update, ...relabelled]) {
      await resource.update({ ...slice, metadata: { ...slice.metadata, labels } });
    }
    for (const { metadata } of remove) {
      await ignoreNotFound(() => resource.delete(metadata.name ?? '', { namespace: metadata.namespace ?? '' }));
    }
  }

  async function writeEndpoints(service: Service, groups: readonly EndpointGroup[]): Promise<void> {
    const { name = '', namespace = '' } = service.metadata;
    const subsets = subsetsOf(groups);
    const labels = {
      ...service.metadata.labels,
      ...(service.spec.clusterIP === 'None' && { [HEADLESS_LABEL]: '' }),
      [ENDPOINTS_MANAGED_BY_LABEL]: 'endpoint-controller',
    };
    const existing = endpoints.get(`${namespace}/${name}`);
    const desired: Endpoints = {
      ...existing,
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { ...existing?.metadata, name, namespace, labels },
      subsets,
    };
    if (existing === undefined) await client.resource(EndpointsResource).create(desired);
    else if (!jsonEqual(existing.subsets ?? [], subsets) || !jsonEqual(existing.metadata.labels, labels)) {
      await client.resource(EndpointsResource).update(desired);
    }
  }

  async function removeEndpoints(namespace: string, name: string): Promise<void> {
    if (endpoints.get(`${namespace}/${name}`)?.metadata.labels?.[ENDPOINTS_MANAGED_BY_LABEL] === undefined) return;
    await ignoreNotFound(() => client.resource(EndpointsResource).delete(name, { namespace }));
  }

  const controller = new Controller({ name: 'endpointslice', reconcile, clock, random, log, concurrency: 5 });
  controller.watch(services);
  controller.watch(slices, ({ metadata }) => [`${metadata.namespace}/${metadata.labels?.[SERVICE_NAME_LABEL] ?? ''}`]);
  return controller.watch(
    pods,
    (pod) =>
      services
        .list(pod.metadata.namespace)
        .filter((service) => isSelected(service, pod))
        .map(keyOf),
    { isRelevant: affectsEndpoints },
  );
}

function isSelected({ spec }: Service, { metadata }: Pod): boolean {
  const selector = Object.entries(spec.selector ?? {});
  return selector.length > 0 && selector.every(([name, value]) => metadata.labels?.[name] === value);
}

function affectsEndpoints(old: Pod, pod: Pod): boolean {
  return (
    old.status?.podIP !== pod.status?.podIP ||
    old.status?.phase !== pod.status?.phase ||
    old.spec.nodeName !== pod.spec.nodeName ||
    old.metadata.deletionTimestamp !== pod.metadata.deletionTimestamp ||
    isPodReady(old) !== isPodReady(pod) ||
    !jsonEqual(old.metadata.labels, pod.metadata.labels)
  );
}

function sliceLabels({ metadata, spec }: Service): Record<string, string> {
  return {
    ...metadata.labels,
    [SERVICE_NAME_LABEL]: metadata.name ?? '',
    [MANAGED_BY_LABEL]: MANAGER_NAME,
    ...(spec.clusterIP === 'None' && { [HEADLESS_LABEL]: '' }),
  };
}

function newSlice(
  service: Service,
  { ports, endpoints }: EndpointGroup,
  labels: Record<string, string>,
): EndpointSlice {
  const { name = '', namespace = '' } = service.metadata;
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: { ...labels },
      ownerReferences: [controllerRef(service, Services)],
    },
    addressType: 'IPv4',
    endpoints: [...endpoints],
    ports: [...ports],
  };
}

async function ignoreNotFound(request: () => Promise<void>): Promise<void> {
  try {
    await request();
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}
