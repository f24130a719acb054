import { DEFAULT_CONFIG } from '@fairway/simulator/default-config';
import { expect, test } from 'vitest';
import { AutoscalingScenario } from '../testing/autoscaling-scenario.ts';

const MINUTE_MS = 60_000;
const ZONE_LABEL = 'topology.kubernetes.io/zone';
const TYPE = 'node.kubernetes.io/instance-type';

/** A cloud whose names are not valid label values. */
const [flavor] = DEFAULT_CONFIG.flavors;
const [zone] = DEFAULT_CONFIG.zones;
const cloud = {
  flavors: flavor
    ? [...DEFAULT_CONFIG.flavors, { ...flavor, id: 'scs', name: 'SCS-2V:8:20s', vcpus: 2, ramMiB: 8192 }]
    : [],
  zones: zone ? ['AZ 1', 'Zürich_2/b'].map((name) => ({ ...zone, name })) : [],
};
const pool = { flavor: 'SCS-2V:8:20s', availabilityZones: ['AZ 1'], maxReplicas: 1 };

test.each([
  { reason: 'zone', asks: { [ZONE_LABEL]: 'AZ-1' }, nodes: ['AZ 1'] },
  { reason: 'flavor', asks: { [TYPE]: 'SCS-2V-8-20s' }, nodes: ['AZ 1'] },
  { reason: 'zone and flavor', asks: { [ZONE_LABEL]: 'AZ-1', [TYPE]: 'SCS-2V-8-20s' }, nodes: ['AZ 1'] },
  { reason: 'zone with another name', asks: { [ZONE_LABEL]: 'Z-rich_2-b' }, nodes: [] },
])('a pool without nodes scales up for pods that select the label of the $reason: $nodes', async ({ asks, nodes }) => {
  await using scenario = await AutoscalingScenario.begin(cloud);
  await scenario.pool(pool);

  await scenario.pending(['a'], '900m', asks);
  await scenario.clock.pass(MINUTE_MS);

  expect((await scenario.fairway.machines()).map(({ spec }) => spec.zone)).toEqual(nodes);
});
