import { ALL_KINDS } from '@fairway/apiserver/kinds/builtin-kinds';
import { bucketOf } from '@fairway/apiserver/server/served-resource';
import type { Change } from '@fairway/apiserver/store/store';
import { keyOf } from '@fairway/kube/client/object-key';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import { Controller } from '@fairway/kube/controller/controller';
import type { Runnable } from '@fairway/kube/controller/manager';
import type { ResourceQuota } from '@fairway/kube/kinds/generated/types';
import { ResourceQuotas } from '@fairway/kube/kinds/resources';
import { jsonEqual } from '@fairway/kube/object/json';
import { formatQuantity, ZERO } from '@fairway/kube/object/quantity';
import { countedResource, isInScope, parseHard, sumUsage, usageOf } from '../../admission/quota-usage.ts';
import type { ControllerContext } from '../context.ts';

/** Changes within so long are counted once. */
const SETTLE_MS = 200;

/** Shows in ResourceQuotas what is used (pkg/controller/resourcequota); admission counts for itself. */
export function resourceQuotaController(context: ControllerContext): Runnable {
  const { client, informers, reader, store, clock, random, log } = context;
  const quotas = informers.informer(ResourceQuotas);
  const controller = new Controller({
    name: 'resource-quota',
    clock,
    random,
    log,
    async reconcile(key) {
      const quota = quotas.get(key);
      if (quota === undefined || quota.metadata.deletionTimestamp !== undefined) return {};
      const status = { hard: { ...quota.spec.hard }, used: usedOf(quota, reader) };
      if (!jsonEqual(status, quota.status)) await client.resource(ResourceQuotas).updateStatus({ ...quota, status });
      return {};
    },
  });
  controller.watch(quotas);
  return {
    name: controller.name,
    whenSynced: (signal) => controller.whenSynced(signal),
    start(signal) {
      // Quotas may count any kind, so the store's changes are followed and not an informer of each.
      const unsubscribe = store.subscribe((changes) =>
        concerned(quotas.list(), changes).forEach((key) => controller.enqueue(key, SETTLE_MS)),
      );
      signal.addEventListener('abort', unsubscribe, { once: true });
      controller.start(signal);
    },
    get stopped() {
      return controller.stopped;
    },
  };
}

/** Keys of the quotas that count something of what has changed. */
function concerned(quotas: readonly ResourceQuota[], changes: readonly Change[]): string[] {
  const changed = new Set(
    changes.map(({ bucket, entry }) => `${entry.key.slice(0, Math.max(0, entry.key.indexOf('/')))}/${bucket}`),
  );
  return quotas
    .filter(({ metadata, spec }) =>
      Object.keys(spec.hard ?? {}).some((name) => changed.has(`${metadata.namespace}/${countedResource(name)}`)),
    )
    .map(keyOf);
}

function usedOf(quota: ResourceQuota, reader: ObjectReader): Record<string, string> {
  const hard = parseHard(quota.spec.hard);
  const used: Record<string, string> = {};
  const ids = new Set([...hard.keys()].map(countedResource));
  for (const id of ids) {
    const type = ALL_KINDS.find((kind) => bucketOf(kind) === id);
    const objects = type === undefined ? [] : reader.list(type, quota.metadata.namespace ?? '');
    const total = sumUsage(
      objects
        .filter((object) => type && isInScope(quota, type, object))
        .map((object) => usageOf(type ?? ResourceQuotas, object)),
    );
    for (const name of hard.keys())
      if (countedResource(name) === id) used[name] = formatQuantity(total.get(name) ?? ZERO);
  }
  return used;
}
