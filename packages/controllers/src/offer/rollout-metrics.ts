import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import type { RolloutStatus } from '@fairway/api/kinds/rollout';
import { Gauge, type Registry } from 'prom-client';

/** Reports the progress of all releases' rollouts as observed by this process: every replica reports the same. */
export function observeRollouts(registry: Registry, releases: () => readonly KubernetesRelease[]): void {
  const gauge = new Gauge({
    name: 'fairway_rollout_clusters',
    help: 'Clusters on a minor version, by state of the rollout of its newest patch.',
    labelNames: ['minor', 'state'],
    registers: [],
    collect() {
      this.reset();
      for (const { spec, status } of releases()) {
        const { minor } = spec;
        if (status?.rollout) setCounts(this, minor, status.rollout);
      }
    },
  });
  registry.registerMetric(gauge);
  const forced = new Gauge({
    name: 'fairway_forced_upgrade_clusters',
    help: 'Clusters that are upgraded automatically because their minor version has reached its end of life, by state of that upgrade.',
    labelNames: ['minor', 'state'],
    registers: [],
    collect() {
      this.reset();
      for (const { spec, status } of releases()) {
        if (status?.forcedUpgrade) setCounts(this, spec.minor, status.forcedUpgrade);
      }
    },
  });
  registry.registerMetric(forced);
  const running = new Gauge({
    name: 'fairway_kubernetes_release_clusters',
    help: 'Clusters whose control planes run a minor version, by the phase of its KubernetesRelease.',
    labelNames: ['minor', 'phase'],
    registers: [],
    collect() {
      this.reset();
      for (const { spec, status } of releases()) {
        if (status?.clusters === undefined || status.phase === undefined) continue;
        this.set({ minor: spec.minor, phase: status.phase }, status.clusters);
      }
    },
  });
  registry.registerMetric(running);
}

function setCounts(
  gauge: Gauge<'minor' | 'state'>,
  minor: string,
  { updated, waiting, paused = 0, moving, failed }: RolloutStatus,
): void {
  gauge.set({ minor, state: 'updated' }, updated);
  gauge.set({ minor, state: 'waiting' }, Math.max(waiting - paused, 0));
  gauge.set({ minor, state: 'paused' }, paused);
  gauge.set({ minor, state: 'moving' }, moving.length);
  gauge.set({ minor, state: 'failed' }, failed.length);
}
