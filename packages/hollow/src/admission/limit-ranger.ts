import type { AdmissionPlugin, AdmissionRequest } from '@fairway/apiserver/server/admission';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { Container, LimitRange, LimitRangeItem, Pod } from '@fairway/kube/kinds/generated/types';
import { LimitRanges, PersistentVolumeClaims, Pods } from '@fairway/kube/kinds/resources';
import { forbidden } from '@fairway/kube/object/api-error';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  ZERO,
} from '@fairway/kube/object/quantity';
import { created } from './plugin.ts';

type List = Readonly<Record<string, string>>;

/** Applies the defaults and enforces the bounds of a namespace's LimitRanges (plugin/pkg/admission/limitranger). */
export function limitRanger(reader: () => ObjectReader): AdmissionPlugin {
  const limitRangesIn = (namespace: string) => reader().list(LimitRanges, namespace);
  return {
    name: 'LimitRanger',
    mutate(request) {
      const pod = created(request, Pods);
      if (pod === undefined) return;
      for (const range of limitRangesIn(request.namespace)) applyDefaults(pod, range);
    },
    validate(request) {
      const pod = created(request, Pods) ?? resizedPod(request);
      const claim = created(request, PersistentVolumeClaims);
      if (pod === undefined && claim === undefined) return;
      const failures = limitRangesIn(request.namespace).flatMap(({ spec }) =>
        (spec.limits ?? []).flatMap((item) => {
          if (pod) return podFailures(pod, item);
          const requests = claim?.spec.resources?.requests ?? {};
          return item.type === 'PersistentVolumeClaim' ? boundsFailures(item, requests, requests) : [];
        }),
      );
      if (failures.length === 0) return;
      const detail = failures.length === 1 ? `${failures[0]}` : `[${failures.join(', ')}]`;
      throw forbidden({ resource: request.resource.plural, name: request.name }, detail);
    },
  };
}

/** The pod in a request to `pods/resize`. */
function resizedPod({ resource, subresource, object }: AdmissionRequest): Pod | undefined {
  const isResize = resource.group === Pods.group && resource.plural === Pods.plural && subresource === 'resize';
  return isResize && object !== undefined && 'spec' in object ? (object as Pod) : undefined;
}

function applyDefaults({ spec }: Pod, range: LimitRange): void {
  for (const item of range.spec.limits ?? []) {
    if (item.type !== 'Container') continue;
    for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
      const { limits = {}, requests = {}, ...rest } = container.resources ?? {};
      const allLimits = { ...item.default, ...limits };
      // A limit set by the pod is also used as its request, in preference to any default request.
      const allRequests = { ...item.defaultRequest, ...limits, ...requests };
      container.resources = {
        ...rest,
        ...(Object.keys(allLimits).length > 0 && { limits: allLimits }),
        ...(Object.keys(allRequests).length > 0 && { requests: allRequests }),
      };
    }
  }
}

function podFailures(pod: Pod, item: LimitRangeItem): string[] {
  const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  if (item.type === 'Container') {
    return containers.flatMap(({ resources = {} }) =>
      boundsFailures(item, resources.requests ?? {}, resources.limits ?? {}),
    );
  }
  if (item.type !== 'Pod') return [];
  return boundsFailures(item, sum(pod.spec.containers, 'requests'), sum(pod.spec.containers, 'limits'));
}

function sum(containers: readonly Container[], list: 'requests' | 'limits'): List {
  const totals: Record<string, string> = {};
  for (const { resources } of containers) {
    for (const [name, value] of Object.entries(resources?.[list] ?? {})) {
      totals[name] = formatQuantity(addQuantities(amount(totals, name) ?? ZERO, parseQuantity(value)));
    }
  }
  return totals;
}

function boundsFailures(item: LimitRangeItem, requests: List, limits: List): string[] {
  const failures: string[] = [];
  const { type } = item;
  for (const [name, bound] of Object.entries(item.min ?? {})) {
    const least = parseQuantity(bound);
    const request = amount(requests, name);
    const limit = amount(limits, name);
    const text = `minimum ${name} usage per ${type} is ${bound}`;
    if (request === undefined) failures.push(`${text}.  No request is specified`);
    else if (compareQuantities(request, least) < 0) failures.push(`${text}, but request is ${formatQuantity(request)}`);
    else if (limit !== undefined && compareQuantities(limit, least) < 0) {
      failures.push(`${text}, but limit is ${formatQuantity(limit)}`);
    }
  }
  for (const [name, bound] of Object.entries(item.max ?? {})) {
    const most = parseQuantity(bound);
    const request = amount(requests, name);
    const limit = amount(limits, name);
    const text = `maximum ${name} usage per ${type} is ${bound}`;
    if (limit === undefined) failures.push(`${text}.  No limit is specified`);
    else if (compareQuantities(limit, most) > 0) failures.push(`${text}, but limit is ${formatQuantity(limit)}`);
    else if (request !== undefined && compareQuantities(request, most) > 0) {
      failures.push(`${text}, but request is ${formatQuantity(request)}`);
    }
  }
  return [...failures, ...ratioFailures(item, requests, limits)];
}

function ratioFailures({ maxLimitRequestRatio = {}, type }: LimitRangeItem, requests: List, limits: List): string[] {
  return Object.entries(maxLimitRequestRatio).flatMap(([name, bound]) => {
    const request = amount(requests, name);
    const limit = amount(limits, name);
    const text = `${name} max limit to request ratio per ${type} is ${bound}`;
    if (request === undefined || request.nanos === 0n) return [`${text}, but no request is specified or request is 0`];
    if (limit === undefined || limit.nanos === 0n) return [`${text}, but no limit is specified or limit is 0`];
    const ratio = Number(limit.nanos) / Number(request.nanos);
    return ratio > Number(parseQuantity(bound).nanos) / 1e9
      ? [`${text}, but provided ratio is ${ratio.toFixed(6)}`]
      : [];
  });
}

function amount(list: List, name: string): Quantity | undefined {
  const value = list[name];
  return value === undefined ? undefined : parseQuantity(value);
}
