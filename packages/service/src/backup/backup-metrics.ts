import { Counter, Gauge, type Registry } from 'prom-client';
import type { ScheduledBackups } from './scheduled-backups.ts';

/** Exports metrics that show whether backups are made on schedule. */
export function addBackupMetrics(registry: Registry, backups: Pick<ScheduledBackups, 'counts'>): void {
  const newest = new Gauge({
    name: 'fairway_backup_last_success_timestamp_seconds',
    help: "Unix time of the newest readable backup of Fairway's objects in the object store; 0 if none is known.",
    registers: [],
    collect() {
      this.set((backups.counts.newestMs ?? 0) / 1000);
    },
  });
  const overdue = new Gauge({
    name: 'fairway_backup_overdue_seconds',
    help: "Seconds for which a scheduled backup of Fairway's objects has been overdue; 0 if none is.",
    registers: [],
    collect() {
      this.set(backups.counts.overdueMs / 1000);
    },
  });
  const failures = new Counter({
    name: 'fairway_backup_failures_total',
    help: "Failed scheduled backups of Fairway's objects; they are retried.",
    registers: [],
    collect() {
      this.reset();
      this.inc(backups.counts.failures);
    },
  });
  for (const metric of [newest, overdue]) registry.registerMetric(metric);
  registry.registerMetric(failures);
}
