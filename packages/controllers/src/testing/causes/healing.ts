import { EXCLUDE_FROM_HEALING_ANNOTATION } from '@fairway/api/group';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import type { TestFairway } from '../test-fairway.ts';
import { type Cause, MINUTE_MS, type Steps } from './cause.ts';
import { createWithHealing, failNode } from './nodes.ts';

const held = (begin: Steps['begin']): Pick<Cause, 'by' | 'afterMs' | 'kind' | 'phase' | 'condition'> => ({
  by: { from: 'a cluster', begin, request: failNode },
  afterMs: 12 * MINUTE_MS,
  kind: 'Machine',
  phase: 'NotReady',
  condition: 'HealthCheckSucceeded',
});

const healPoolWith = (healing: object) => (fairway: TestFairway) =>
  fairway.patch(nodePools, 'general', { spec: { healing } });

async function exclude(fairway: TestFairway): Promise<void> {
  const [machine] = await fairway.machines();
  const annotations = { [EXCLUDE_FROM_HEALING_ANNOTATION]: '' };
  await fairway.patch(machines, machine?.metadata.name ?? '', { metadata: { annotations } });
}

const UNHEALTHY_MESSAGE = 'NodeNotReady: the node is not ready: container runtime is down';

/** Why an unhealthy node is not repaired. */
export const HEALING_CAUSES: readonly Cause[] = [
  {
    cause: 'A broken node is in a pool without healing',
    ...held(healPoolWith({ enabled: false })),
    reason: 'HealingDisabled',
    message: `not repaired: spec.healing.enabled of its pool is false: set it to true, delete the Machine, or annotate it with fairway.dev/repair-requested. ${UNHEALTHY_MESSAGE}`,
  },
  {
    cause: 'A broken node is excluded from healing',
    ...held(exclude),
    reason: 'ExcludedFromHealing',
    message: `not repaired: it has the annotation fairway.dev/exclude-from-healing: remove the annotation to have it repaired. ${UNHEALTHY_MESSAGE}`,
  },
  {
    cause: 'Too many nodes are broken at once',
    ...held(healPoolWith({ maxUnhealthy: '0' })),
    reason: 'TooManyUnhealthy',
    message: `not repaired: more than 0 of the 1 nodes of the pool are unhealthy, which exceeds spec.healing.maxUnhealthy (0): look for a common cause. ${UNHEALTHY_MESSAGE}`,
    event: {
      kind: 'Machine',
      reason: 'RepairHeld',
      message: `not repaired: more than 0 of the 1 nodes of the pool are unhealthy, which exceeds spec.healing.maxUnhealthy (0): look for a common cause. ${UNHEALTHY_MESSAGE}`,
    },
  },
  {
    cause: 'A repair did not help',
    by: {
      from: 'nothing',
      nodesJoin: false,
      begin: createWithHealing({ strategy: 'Replace' }),
      request: () => undefined,
    },
    afterMs: 28 * MINUTE_MS,
    kind: 'Machine',
    phase: 'Installing',
    condition: 'HealthCheckSucceeded',
    reason: 'RepairBackingOff',
    message:
      "not repaired: the last repair in the pool did not help: the next one starts at {time}, or immediately if you annotate the Machine with fairway.dev/repair-requested. NodeStartupTimeout: the server has not joined the cluster as a node for 10 min; it has been ACTIVE since {time}. Check its network (can it reach {url} and the Internet?), its image and cloud-init; end of its console output: [    0.000000] Linux version 6.8.0-cloud (simulated) | cloud-init: running 'init' at {time}. | cloud-init: user data present | {machine} login:",
  },
];
