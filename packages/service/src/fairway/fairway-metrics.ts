import type { Clock } from '@fairway/base/clock';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { Counter, Gauge, type Registry } from 'prom-client';
import { FAIRWAY_VERSION } from '../version.ts';

export interface MetricsSource {
  /** The projects in use. */
  readonly opened: () => Iterable<ProjectCloud>;
  readonly clock: Clock;
}

/**
 * Metrics of this process as a whole, and of its view of the clouds; the number of labels does not grow with the number
 * of projects.
 */
export function addFairwayMetrics(registry: Registry, { opened, clock }: MetricsSource): void {
  new Gauge({
    name: 'fairway_build_info',
    help: 'Version of this process, as a label; always 1.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: FAIRWAY_VERSION }, 1);
  addProcessMetrics(registry);
  const caches = [
    new Gauge({
      name: 'fairway_openstack_cache_age_seconds',
      help: 'Age of the oldest cached list of a resource kind across all projects.',
      labelNames: ['cloud', 'resource'],
      registers: [],
      collect() {
        this.reset();
        const oldest = new Map<string, { readonly labels: { cloud: string; resource: string }; ageMs: number }>();
        for (const { name: cloud, cache } of opened()) {
          for (const { kind: resource, ageMs } of cache.freshness(clock.now())) {
            const key = `${cloud} ${resource}`;
            if (ageMs >= (oldest.get(key)?.ageMs ?? 0)) oldest.set(key, { labels: { cloud, resource }, ageMs });
          }
        }
        for (const { labels, ageMs } of oldest.values()) this.set(labels, ageMs / 1000);
      },
    }),
    new Gauge({
      name: 'fairway_openstack_caches_failing',
      help: 'Projects whose last list request for a resource kind failed; controllers use the previous list.',
      labelNames: ['cloud', 'resource'],
      registers: [],
      collect() {
        this.reset();
        for (const { name: cloud, cache } of opened()) {
          for (const { kind: resource, isFailing } of cache.freshness(clock.now())) {
            this.inc({ cloud, resource }, isFailing ? 1 : 0);
          }
        }
      },
    }),
  ];
  for (const gauge of caches) registry.registerMetric(gauge);
}

/** Uses the metric names common to all Prometheus clients. */
function addProcessMetrics(registry: Registry): void {
  const cpu = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time of this process, user and system.',
    registers: [],
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  const memory = new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Memory of this process.',
    registers: [],
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  const start = new Gauge({
    name: 'process_start_time_seconds',
    help: 'When this process started, as a Unix time.',
    registers: [registry],
  });
  start.set(performance.timeOrigin / 1000);
  registry.registerMetric(cpu);
  registry.registerMetric(memory);
}
