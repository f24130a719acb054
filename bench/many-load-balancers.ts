import { setTimeout as sleep } from 'node:timers/promises';
import { type Figure, formatFigures } from './figures.ts';
import { loadBalancersByHand } from './load-balancers/by-hand.ts';
import { ManyClusters } from './load-balancers/many-clusters.ts';

const CLUSTERS = 100;
const SERVICES = 10;
const PACE = { createMs: 30_000, updateMs: 2_000 };
const SETTLE_MS = 30_000;
const IDLE_MS = 120_000;
const MIB = 1024 * 1024;

/**
 * Creates 1,000 Services in 100 clusters of one project concurrently, on a cloud that takes half a minute per load
 * balancer.
 */
export async function benchManyLoadBalancers(print: (text: string) => void): Promise<void> {
  const count = CLUSTERS * SERVICES;
  const manualSeconds = await loadBalancersByHand(PACE, count);
  print(`${count} load balancers by hand: ${manualSeconds.toFixed(1)} s`);

  await using fairway = await ManyClusters.start(PACE);
  await fairway.createClusters(CLUSTERS);
  await sleep(SETTLE_MS);
  const before = { ...fairway.usage, calls: fairway.calls, atMs: performance.now() };
  await fairway.createServices(SERVICES);
  const ready = { ...fairway.usage, calls: fairway.calls, atMs: performance.now() };
  await sleep(SETTLE_MS);
  const settled = { ...fairway.usage, calls: fairway.calls };
  await sleep(IDLE_MS);
  const idle = { ...fairway.usage, calls: fairway.calls };
  const figures: Figure[] = [
    {
      name: 'from the first Service to the last address',
      unit: 's',
      value: (ready.atMs - before.atMs) / 1000,
      peer: manualSeconds,
      goal: { kind: 'ratio-at-most', value: 1.1 },
    },
    { name: 'OpenStack calls per Service', unit: 'calls', value: (settled.calls - before.calls) / count },
    { name: 'CPU per Service, its control plane included', unit: 'ms', value: (settled.cpuMs - before.cpuMs) / count },
    {
      name: 'memory per Service, its control plane included',
      unit: 'MiB',
      value: (idle.rssBytes - before.rssBytes) / MIB / count,
    },
    {
      name: 'then idle: OpenStack calls',
      unit: 'per minute',
      value: ((idle.calls - settled.calls) * 60_000) / IDLE_MS,
    },
    { name: 'then idle: CPU', unit: '% of a core', value: (100 * (idle.cpuMs - settled.cpuMs)) / IDLE_MS },
  ];
  print(
    formatFigures(
      `${count} Services in ${CLUSTERS} clusters, ${PACE.createMs / 1000} s for each load balancer`,
      figures,
      'by hand',
    ),
  );
}
