import { type InClusterNodePool, inClusterNodePools } from '@fairway/api/kinds/in-cluster-node-pool';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { describe, expect, test } from 'vitest';
import { Crash } from '../testing/crash.ts';
import { InClusterScenario } from '../testing/in-cluster-scenario.ts';

/**
 * Paths of the counted writes: to pools inside the cluster, to pools outside it except for their controller's
 * status, and to Events.
 */
const COUNTED_PATHS =
  /v1alpha1\/nodepools(\/|\?|$)|namespaces\/team\/nodepools(\/[a-z]+)?(\?|$)|namespaces\/default\/events/;
/** More than any change needs. */
const MAX_WRITES = 12;

type PoolPair = { readonly inner: InClusterNodePool | undefined; readonly outer: NodePool | undefined };

interface Change {
  readonly what: string;
  /** Runs before each attempt, for the pool of that name. */
  readonly prepare: (scenario: InClusterScenario, name: string) => Promise<unknown>;
  readonly make: (scenario: InClusterScenario, name: string) => Promise<unknown>;
  /** The pool's final state. */
  readonly ends: object;
}

const create = (scenario: InClusterScenario, name: string) => scenario.fairway.createPool({ replicas: 0 }, name);

const CHANGES: readonly Change[] = [
  {
    what: 'a change inside the cluster',
    prepare: create,
    make: (scenario, name) => scenario.change({ maxReplicas: 7 }, name),
    ends: { inner: 7, outer: 7, changes: 1 },
  },
  {
    what: 'a pool created inside the cluster',
    prepare: () => Promise.resolve(),
    make: (scenario, name) => scenario.make(name, { maxReplicas: 7 }),
    ends: { inner: 7, outer: 7, changes: 0 },
  },
  {
    what: 'a change outside the cluster',
    prepare: create,
    make: (scenario, name) => scenario.fairway.patch(nodePools, name, { spec: { maxReplicas: 7 } }),
    ends: { inner: 7, outer: 7, changes: 1 },
  },
  {
    what: 'a deletion inside the cluster',
    prepare: create,
    make: (scenario, name) => scenario.tenant.resource(inClusterNodePools).delete(name),
    ends: { inner: undefined, outer: undefined, changes: undefined },
  },
  {
    what: 'a deletion outside the cluster',
    prepare: create,
    make: (scenario, name) => scenario.fairway.delete(nodePools, name),
    ends: { inner: undefined, outer: undefined, changes: undefined },
  },
];

describe('Fairway is killed after each write in turn', () => {
  test.each(CHANGES)('$what: is neither lost nor repeated', async ({ prepare, make, ends }) => {
    const crash = new Crash(COUNTED_PATHS);
    await using scenario = await InClusterScenario.begin(crash.options);
    const outcomes: unknown[] = [];
    let hasDied = true;

    for (let writes = 1; hasDied && writes <= MAX_WRITES; writes++) {
      const name = `extra-${writes}`;
      await prepare(scenario, name);
      await scenario.settle(20);
      crash.afterWrites(writes, () => {});
      await make(scenario, name);
      await scenario.settle(20);
      hasDied = crash.hasOccurred;
      await scenario.fairway.stopProcess();
      crash.end();
      await scenario.fairway.startProcess();
      await scenario.settle(90);
      outcomes.push(seen({ inner: await scenario.inner(name), outer: await scenario.outer(name) }));
    }

    expect(outcomes).toEqual(outcomes.map(() => ends));
    // In the last attempt, there was no write left after which Fairway could be killed.
    expect(hasDied).toBe(false);
    expect(outcomes.length).toBeGreaterThan(2);
  });
});

function seen({ inner, outer }: PoolPair): object {
  const { generation } = outer?.metadata ?? {};
  return {
    inner: inner?.spec.maxReplicas,
    outer: outer?.spec.maxReplicas,
    changes: generation === undefined ? undefined : generation - 1,
  };
}
