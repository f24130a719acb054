import { splitKey } from '@fairway/kube/client/object-key';
import { Controller } from '@fairway/kube/controller/controller';
import { controllerRef } from '@fairway/kube/controller/owners';
import type { Result } from '@fairway/kube/controller/result';
import type { EndpointSlice, Endpoints } from '@fairway/kube/kinds/generated/types';
import { EndpointSlices, Endpoints as EndpointsResource, Services } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { jsonEqual } from '@fairway/kube/object/json';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { ControllerContext } from '../context.ts';
import { groupKey, type MirroredGroup, mirroredGroups } from './mirrored-groups.ts';

const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';
const MANAGED_BY_LABEL = 'endpointslice.kubernetes.io/managed-by';
const MANAGER_NAME = 'endpointslicemirroring-controller.k8s.io';
const SKIP_MIRROR_LABEL = 'endpointslice.kubernetes.io/skip-mirror';
const LEADER_ANNOTATION = 'control-plane.alpha.kubernetes.io/leader';
/** Annotations that are not copied to a mirrored slice. */
const UNCOPIED_ANNOTATIONS = [
  'endpoints.kubernetes.io/last-change-trigger-time',
  'kubectl.kubernetes.io/last-applied-configuration',
];

/** Mirrors user-managed Endpoints of Services without a selector to EndpointSlices (pkg/controller/endpointslicemirroring). */
export function endpointSliceMirroring(context: ControllerContext): Controller {
  const { client, informers, clock, random, log } = context;
  const services = informers.informer(Services);
  const endpoints = informers.informer(EndpointsResource);
  const slices = informers.informer(EndpointSlices, { labelSelector: `${MANAGED_BY_LABEL}=${MANAGER_NAME}` });
  const events = context.events('endpoint-slice-mirroring-controller');
  const resource = client.resource(EndpointSlices);

  async function reconcile(key: string): Promise<Result> {
    const { namespace, name } = splitKey(key);
    const existing = slices.list(namespace).filter(({ metadata }) => metadata.labels?.[SERVICE_NAME_LABEL] === name);
    const source = endpoints.get(key);
    const service = services.get(key);
    const isMirrored =
      source !== undefined && isMirrorable(source) && service !== undefined && service.spec.selector === undefined;
    if (!isMirrored) {
      for (const slice of existing) await remove(slice);
      return {};
    }
    const { groups, invalid, skipped } = mirroredGroups(source);
    if (invalid > 0) {
      const message = `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`;
      events.warning(source, 'InvalidIPAddress', message);
    }
    if (skipped > 0) {
      const message = `A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`;
      events.warning(source, 'TooManyAddressesToMirror', message);
    }
    await write(source, groups, existing);
    return {};
  }

  /** Writes a slice for each group, reusing existing slices; surplus slices are deleted. */
  async function write(source: Endpoints, groups: readonly MirroredGroup[], existing: readonly EndpointSlice[]) {
    const left = new Set(existing);
    const byGroup = new Map(existing.map((slice) => [groupKey(slice.addressType, slice.ports ?? []), slice]));
    for (const group of groups) {
      const known = byGroup.get(groupKey(group.addressType, group.ports));
      if (known === undefined) {
        if (source.metadata.deletionTimestamp === undefined) await resource.create(sliceOf(source, group));
        continue;
      }
      left.delete(known);
      const desired = sliceOf(source, group);
      const { labels, annotations = {}, ownerReferences } = desired.metadata;
      const isSame =
        jsonEqual(known.endpoints ?? [], group.endpoints) &&
        jsonEqual(known.metadata.labels, labels) &&
        jsonEqual(known.metadata.annotations ?? {}, annotations) &&
        jsonEqual(known.metadata.ownerReferences, ownerReferences);
      if (isSame) continue;
      const metadata = { ...known.metadata, labels: labels ?? {}, annotations, ownerReferences: ownerReferences ?? [] };
      await resource.update({ ...known, metadata, endpoints: [...group.endpoints] });
    }
    for (const slice of left) await remove(slice);
  }

  async function remove({ metadata }: EndpointSlice): Promise<void> {
    try {
      await resource.delete(metadata.name ?? '', { namespace: metadata.namespace ?? '' });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
  }

  const controller = new Controller({ name: 'endpointslice-mirroring', reconcile, clock, random, log, concurrency: 5 });
  controller.watch(endpoints);
  controller.watch(services, undefined, {
    isRelevant: (old, service) => (old.spec.selector === undefined) !== (service.spec.selector === undefined),
  });
  return controller.watch(slices, ({ metadata }) => [
    `${metadata.namespace}/${metadata.labels?.[SERVICE_NAME_LABEL] ?? ''}`,
  ]);
}

/** Whether Endpoints are mirrored: they have neither the opt-out label nor a leader-election lock. */
export function isMirrorable({ metadata }: KubeObject): boolean {
  return metadata.labels?.[SKIP_MIRROR_LABEL] !== 'true' && metadata.annotations?.[LEADER_ANNOTATION] === undefined;
}

function sliceOf(source: Endpoints, { addressType, ports, endpoints }: MirroredGroup): EndpointSlice {
  const { name = '', namespace = '', labels, annotations } = source.metadata;
  const kept = Object.entries(annotations ?? {}).filter(([key]) => !UNCOPIED_ANNOTATIONS.includes(key));
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: { ...labels, [SERVICE_NAME_LABEL]: name, [MANAGED_BY_LABEL]: MANAGER_NAME },
      ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }),
      ownerReferences: [controllerRef(source, EndpointsResource)],
    },
    addressType,
    endpoints: [...endpoints],
    ports: [...ports],
  };
}
