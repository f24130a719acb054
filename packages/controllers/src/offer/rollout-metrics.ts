import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import { Gauge, type Registry } from 'prom-client';

/** Tells how far rollouts are, of all releases that this process sees: the same from every replica. */
export function observeRollouts(registry: Registry, releases: () => readonly KubernetesRelease[]): void {
  const gauge = new Gauge({
    name: 'fairway_rollout_clusters',
    help: 'Clusters that follow a minor version, by how the rollout of its newest patch stands with them.',
    labelNames: ['minor', 'state'],
    registers: [],
    collect() {
      this.reset();
      for (const { spec, status } of releases()) {
        const { minor } = spec;
        const rollout = status?.rollout;
        if (rollout === undefined) continue;
        this.set({ minor, state: 'updated' }, rollout.updated);
        this.set({ minor, state: 'waiting' }, rollout.waiting);
        this.set({ minor, state: 'moving' }, rollout.moving.length);
        this.set({ minor, state: 'failed' }, rollout.failed.length);
      }
    },
  });
  registry.registerMetric(gauge);
}
