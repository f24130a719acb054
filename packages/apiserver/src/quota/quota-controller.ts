import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { InformerSet } from '@fairway/kube/client/informer-set';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { keyOf } from '@fairway/kube/client/object-key';
import { Controller } from '@fairway/kube/controller/controller';
import type { Runnable } from '@fairway/kube/controller/manager';
import type { ResourceQuota } from '@fairway/kube/kinds/generated/types';
import { ResourceQuotas } from '@fairway/kube/kinds/resources';
import { jsonEqual } from '@fairway/kube/object/json';
import { formatQuantity, ZERO } from '@fairway/kube/object/quantity';
import { countedResource } from '@fairway/kube/object/quota-resource';
import type { Change, Store } from '../store/store.ts';
import type { QuotaLedger } from './quota-ledger.ts';
import { parseHard } from './quota-usage.ts';

export interface QuotaControllerOptions {
  readonly client: KubeClient;
  readonly informers: InformerSet;
  readonly store: Pick<Store, 'subscribe'>;
  readonly ledger: QuotaLedger;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** The interval over which changes are batched. */
const SETTLE_MS = 200;

/** Maintains the usage in the status of ResourceQuotas (pkg/controller/resourcequota); admission queries the ledger directly. */
export function resourceQuotaController(options: QuotaControllerOptions): Runnable {
  const { client, informers, store, ledger, clock, random, log } = options;
  const quotas = informers.informer(ResourceQuotas);
  quotas.addIndex('namespace', ({ metadata }) => [metadata.namespace ?? '']);
  const controller = new Controller({
    name: 'resource-quota',
    clock,
    random,
    log,
    async reconcile(key) {
      const quota = quotas.get(key);
      if (quota === undefined || quota.metadata.deletionTimestamp !== undefined) return {};
      const status = { hard: { ...quota.spec.hard }, used: usedOf(quota, ledger) };
      if (!jsonEqual(status, quota.status)) await client.resource(ResourceQuotas).updateStatus({ ...quota, status });
      return {};
    },
  });
  controller.watch(quotas);
  return {
    name: controller.name,
    whenSynced: (signal) => controller.whenSynced(signal),
    start(signal) {
      // Quotas may count any kind, so the controller follows the store's changes instead of running an informer for
      // each kind.
      const unsubscribe = store.subscribe((changes) =>
        affectedQuotas((namespace) => quotas.byIndex('namespace', namespace), changes).forEach((key) =>
          controller.enqueue(key, SETTLE_MS),
        ),
      );
      signal.addEventListener('abort', unsubscribe, { once: true });
      controller.start(signal);
    },
    get stopped() {
      return controller.stopped;
    },
  };
}

/** Keys of the quotas affected by a change. */
function affectedQuotas(
  quotasIn: (namespace: string) => readonly ResourceQuota[],
  changes: readonly Change[],
): string[] {
  const changed = Map.groupBy(changes, ({ entry }) => entry.key.slice(0, Math.max(0, entry.key.indexOf('/'))));
  return [...changed].flatMap(([namespace, within]) => {
    const resources = new Set(within.map(({ bucket }) => bucket));
    return quotasIn(namespace)
      .filter(({ spec }) => Object.keys(spec.hard ?? {}).some((name) => resources.has(countedResource(name))))
      .map(keyOf);
  });
}

function usedOf(quota: ResourceQuota, ledger: QuotaLedger): Record<string, string> {
  const names = [...parseHard(quota.spec.hard).keys()];
  return Object.fromEntries(
    names.map((name) => [name, formatQuantity(ledger.used(quota, countedResource(name)).get(name) ?? ZERO)]),
  );
}
