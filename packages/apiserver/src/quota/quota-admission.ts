import type { AdmissionPlugin, AdmissionRequest } from '@fairway/apiserver/server/admission';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { Pod, ResourceQuota } from '@fairway/kube/kinds/generated/types';
import { ResourceQuotas } from '@fairway/kube/kinds/resources';
import { forbidden } from '@fairway/kube/object/api-error';
import type { KubeObject } from '@fairway/kube/object/meta';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  type Quantity,
  subtractQuantities,
  ZERO,
} from '@fairway/kube/object/quantity';
import type { PendingWrites } from './pending-writes.ts';
import { countedResource, isInScope, parseHard, sumUsage, type Usage, usageOf } from './quota-usage.ts';

/** Resources that every container must say when a quota bounds them. */
const DECLARED = /^(requests\.|limits\.)?(cpu|memory)$/;

/** An object that was let in, and what it takes. */
export interface Admitted {
  readonly usage: Usage;
  readonly object: KubeObject;
}

/**
 * Refuses what would exceed a namespace's quotas. Upstream counts in the quota's status; here the objects themselves are counted on each
 * request of a namespace that has quotas, together with those that were let in and are not stored yet.
 */
export function resourceQuotaAdmission(reader: () => ObjectReader, pending: PendingWrites<Admitted>): AdmissionPlugin {
  return {
    name: 'ResourceQuota',
    validate(request) {
      const { object, oldObject, operation, subresource, namespace, resource } = request;
      if (object === undefined || subresource !== '' || namespace === '' || operation === 'CONNECT') return;
      const quotas = reader().list(ResourceQuotas, namespace);
      if (quotas.length === 0) return;
      const after = usageOf(resource, object);
      const before: Usage = operation === 'UPDATE' && oldObject ? usageOf(resource, oldObject) : new Map();
      const waiting = [...pending.of(resource, namespace)].filter(
        (other) => reader().get(resource, namespace, other.object.metadata.name ?? '') === undefined,
      );
      for (const quota of quotas) {
        if (isInScope(quota, resource, object)) check(request, quota, before, after, waiting, reader());
      }
      if (request.dryRun || operation !== 'CREATE') return;
      pending.set(resource, `${namespace}/${object.metadata.name}`, { usage: after, object });
    },
  };
}

function check(
  request: AdmissionRequest,
  quota: ResourceQuota,
  before: Usage,
  after: Usage,
  pending: readonly Admitted[],
  reader: ObjectReader,
): void {
  const { resource, namespace, object } = request;
  const id = resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
  const hard = new Map([...parseHard(quota.spec.hard)].filter(([name]) => countedResource(name) === id));
  if (hard.size === 0) return;
  const subject = { group: resource.group, resource: resource.plural, name: request.name };
  const undeclared =
    id === 'pods' && request.operation === 'CREATE' ? undeclaredOf(object as Pod, [...hard.keys()]) : [];
  const quotaName = quota.metadata.name ?? '';
  if (undeclared.length > 0) {
    throw forbidden(subject, `failed quota: ${quotaName}: must specify ${undeclared.join('; ')}`);
  }
  const stored = reader.list(resource, namespace).filter((other) => isInScope(quota, resource, other));
  const waiting = pending.filter((other) => isInScope(quota, resource, other.object));
  const used = sumUsage([...stored.map((other) => usageOf(resource, other)), ...waiting.map(({ usage }) => usage)]);
  const exceeded = [...hard].filter(([name, limit]) => {
    const added = subtractQuantities(after.get(name) ?? ZERO, before.get(name) ?? ZERO);
    const total = addQuantities(used.get(name) ?? ZERO, added);
    return added.nanos > 0n && compareQuantities(total, limit) > 0;
  });
  if (exceeded.length === 0) return;
  const names = exceeded.map(([name]) => name).sort();
  const list = (amounts: ReadonlyMap<string, Quantity>) =>
    names.map((name) => `${name}=${formatQuantity(amounts.get(name) ?? ZERO)}`).join(',');
  const added = new Map(
    names.map((name) => [name, subtractQuantities(after.get(name) ?? ZERO, before.get(name) ?? ZERO)]),
  );
  throw forbidden(
    subject,
    `exceeded quota: ${quotaName}, requested: ${list(added)}, used: ${list(used)}, limited: ${list(hard)}`,
  );
}

/** `requests.cpu for: main,sidecar`: what the quota bounds and containers do not say. */
function undeclaredOf({ spec }: Pod, names: readonly string[]): string[] {
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  return names
    .filter((name) => DECLARED.test(name))
    .sort()
    .flatMap((name) => {
      const [, list = 'requests.', resource = ''] = DECLARED.exec(name) ?? [];
      const field = list === 'limits.' ? 'limits' : 'requests';
      const silent = containers.filter(({ resources }) => resources?.[field]?.[resource] === undefined);
      return silent.length === 0 ? [] : [`${name} for: ${silent.map((container) => container.name).join(',')}`];
    });
}
