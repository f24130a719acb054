import { usageReport } from '@fairway/api/domain/usage/report';
import type { UsageRecord } from '@fairway/api/kinds/usage-record';
import type { Clock } from '@fairway/base/clock';
import type { Informer } from '@fairway/kube/client/informer';
import { Gauge, type Registry } from 'prom-client';

/** Projects multiplied by resource types: limits the cost for a Prometheus in a cloud with many projects. */
const MAX_USAGE_SERIES = 5_000;

const LABELS = ['namespace', 'resource', 'type'] as const;

/** Adds metrics about the usage of projects, derived from the records on each scrape. */
export function addUsageSeries(
  registry: Registry,
  records: Pick<Informer<UsageRecord>, 'list'>,
  { isReporting, clock }: { readonly isReporting: () => boolean; readonly clock: Clock },
): void {
  const set = (gauge: Gauge<(typeof LABELS)[number]>, values: ReadonlyMap<string, number>) => {
    gauge.reset();
    for (const [key, value] of [...values].slice(0, MAX_USAGE_SERIES)) {
      const [namespace = '', resource = '', type = ''] = JSON.parse(key) as string[];
      gauge.set({ namespace, resource, type }, value);
    }
  };
  const gauges = [
    new Gauge({
      name: 'fairway_usage_running',
      help: "Current resources of a project's clusters, by plan, flavor or type; volumes in GiB.",
      labelNames: LABELS,
      registers: [],
      collect() {
        set(this, isReporting() ? runningOf(records.list()) : new Map());
      },
    }),
    new Gauge({
      name: 'fairway_usage_month_seconds',
      help: 'Resource-seconds used by a project since the start of the UTC month, by plan, flavor or type; volumes in GiB-seconds.',
      labelNames: LABELS,
      registers: [],
      collect() {
        set(this, isReporting() ? secondsOfMonth(records.list(), clock.now()) : new Map());
      },
    }),
  ];
  for (const gauge of gauges) registry.registerMetric(gauge);
}

function runningOf(records: readonly UsageRecord[]): ReadonlyMap<string, number> {
  const running = new Map<string, number>();
  for (const { spec, status } of records) {
    for (const { resource, type, quantity = 1, endTime } of status?.intervals ?? []) {
      if (endTime !== undefined) continue;
      const key = JSON.stringify([spec.namespace, resource, type]);
      running.set(key, (running.get(key) ?? 0) + quantity);
    }
  }
  return running;
}

function secondsOfMonth(records: readonly UsageRecord[], nowMs: number): ReadonlyMap<string, number> {
  const now = new Date(nowMs);
  const fromMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
  const rows = usageReport(records, { fromMs, toMs: nowMs, nowMs, step: 'all', byCluster: false });
  const sums = new Map<string, number>();
  for (const { namespace, resource, type, amount } of rows) {
    const key = JSON.stringify([namespace, resource, type]);
    sums.set(key, (sums.get(key) ?? 0) + amount);
  }
  return sums;
}
