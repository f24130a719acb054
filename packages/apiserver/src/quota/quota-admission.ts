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
import { countedResource } from '@fairway/kube/object/quota-resource';
import type { AdmissionPlugin, AdmissionRequest } from '../server/admission.ts';
import { bucketOf } from '../server/served-resource.ts';
import type { QuotaLedger } from './quota-ledger.ts';
import { isInScope, parseHard, type Usage, usageOf } from './quota-usage.ts';

/** Resources that every container must set if a quota limits them. */
const COMPUTE_RESOURCE_PATTERN = /^(requests\.|limits\.)?(cpu|memory)$/;

/** A resize changes the pod itself; other subresources change nothing that counts. */
const COUNTED_SUBRESOURCES: ReadonlySet<string> = new Set(['', 'resize']);

const NO_USAGE: Usage = new Map();

/**
 * Rejects writes that would exceed a namespace's quotas. Upstream counts in the quota's status with compare-and-swap; here the ledger is read in the
 * same event-loop turn as the write.
 */
export function resourceQuotaAdmission(reader: () => ObjectReader, ledger: QuotaLedger): AdmissionPlugin {
  return {
    name: 'ResourceQuota',
    decide(request) {
      const { object, subresource, namespace } = request;
      if (object === undefined || !COUNTED_SUBRESOURCES.has(subresource) || namespace === '') return;
      for (const quota of reader().list(ResourceQuotas, namespace)) check(request, object, quota, ledger);
    },
  };
}

function check(request: AdmissionRequest, object: KubeObject, quota: ResourceQuota, ledger: QuotaLedger): void {
  const { resource, oldObject } = request;
  const id = bucketOf(resource);
  if (!isInScope(quota, id, object)) return;
  const hard = new Map([...parseHard(quota.spec.hard)].filter(([name]) => countedResource(name) === id));
  if (hard.size === 0) return;
  const subject = { group: resource.group, resource: resource.plural, name: object.metadata.name ?? request.name };
  const undeclared =
    id === 'pods' && request.operation === 'CREATE' ? undeclaredOf(object as Pod, [...hard.keys()]) : [];
  const quotaName = quota.metadata.name ?? '';
  if (undeclared.length > 0) {
    throw forbidden(subject, `failed quota: ${quotaName}: must specify ${undeclared.join('; ')}`);
  }
  const updated = usageOf(id, object);
  const previous = oldObject && isInScope(quota, id, oldObject) ? usageOf(id, oldObject) : NO_USAGE;
  const used = ledger.used(quota, id);
  const exceeded = [...hard].filter(([name, limit]) => {
    const added = subtractQuantities(updated.get(name) ?? ZERO, previous.get(name) ?? ZERO);
    const total = addQuantities(used.get(name) ?? ZERO, added);
    return added.nanos > 0n && compareQuantities(total, limit) > 0;
  });
  if (exceeded.length === 0) return;
  const names = exceeded.map(([name]) => name).sort();
  const list = (amounts: ReadonlyMap<string, Quantity>) =>
    names.map((name) => `${name}=${formatQuantity(amounts.get(name) ?? ZERO)}`).join(',');
  const added = new Map(
    names.map((name) => [name, subtractQuantities(updated.get(name) ?? ZERO, previous.get(name) ?? ZERO)]),
  );
  throw forbidden(
    subject,
    `exceeded quota: ${quotaName}, requested: ${list(added)}, used: ${list(used)}, limited: ${list(hard)}`,
  );
}

/** `requests.cpu for: main,sidecar`: the resources that the quota limits, and the containers that do not set them. */
function undeclaredOf({ spec }: Pod, names: readonly string[]): string[] {
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  return names
    .filter((name) => COMPUTE_RESOURCE_PATTERN.test(name))
    .sort()
    .flatMap((name) => {
      const [, list = 'requests.', resource = ''] = COMPUTE_RESOURCE_PATTERN.exec(name) ?? [];
      const field = list === 'limits.' ? 'limits' : 'requests';
      const silent = containers.filter(({ resources }) => resources?.[field]?.[resource] === undefined);
      return silent.length === 0 ? [] : [`${name} for: ${silent.map((container) => container.name).join(',')}`];
    });
}
