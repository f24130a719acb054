import { type InClusterNodePool, inClusterNodePools } from '@fairway/api/kinds/in-cluster-node-pool';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { describe, expect, test } from 'vitest';
import { Crash } from '../testing/crash.ts';
import { InClusterStory } from '../testing/in-cluster-story.ts';

/** The pools inside the cluster, those outside except for their own controller's status, and events. */
const COUNTED = /v1alpha1\/nodepools(\/|\?|$)|namespaces\/team\/nodepools(\/[a-z]+)?(\?|$)|namespaces\/default\/events/;
/** More than any change needs. */
const MAX_WRITES = 12;

type Sides = { readonly inner: InClusterNodePool | undefined; readonly outer: NodePool | undefined };

interface Change {
  readonly what: string;
  /** Runs before each attempt, for the pool of that name. */
  readonly prepare: (story: InClusterStory, name: string) => Promise<unknown>;
  readonly make: (story: InClusterStory, name: string) => Promise<unknown>;
  /** The state of the pool at the end. */
  readonly ends: object;
}

const create = (story: InClusterStory, name: string) => story.fairway.createPool({ replicas: 0 }, name);

const CHANGES: readonly Change[] = [
  {
    what: 'a change in the cluster',
    prepare: create,
    make: (story, name) => story.change({ maxReplicas: 7 }, name),
    ends: { inner: 7, outer: 7, changes: 1 },
  },
  {
    what: 'a pool that is made in the cluster',
    prepare: () => Promise.resolve(),
    make: (story, name) => story.make(name, { maxReplicas: 7 }),
    ends: { inner: 7, outer: 7, changes: 0 },
  },
  {
    what: 'a change outside',
    prepare: create,
    make: (story, name) => story.fairway.patch(nodePools, name, { spec: { maxReplicas: 7 } }),
    ends: { inner: 7, outer: 7, changes: 1 },
  },
  {
    what: 'a deletion in the cluster',
    prepare: create,
    make: (story, name) => story.tenant.resource(inClusterNodePools).delete(name),
    ends: { inner: undefined, outer: undefined, changes: undefined },
  },
  {
    what: 'a deletion outside',
    prepare: create,
    make: (story, name) => story.fairway.delete(nodePools, name),
    ends: { inner: undefined, outer: undefined, changes: undefined },
  },
];

describe('Fairway is killed after each write that follows', () => {
  test.each(CHANGES)('$what: is neither lost nor repeated', async ({ prepare, make, ends }) => {
    const crash = new Crash(COUNTED);
    await using story = await InClusterStory.begin(crash.options);
    const outcomes: unknown[] = [];
    let hasDied = true;

    for (let writes = 1; hasDied && writes <= MAX_WRITES; writes++) {
      const name = `extra-${writes}`;
      await prepare(story, name);
      await story.settle(20);
      crash.afterWrites(writes, () => {});
      await make(story, name);
      await story.settle(20);
      hasDied = crash.hasHappened;
      await story.fairway.stopProcess();
      crash.end();
      await story.fairway.startProcess();
      await story.settle(90);
      outcomes.push(seen({ inner: await story.inner(name), outer: await story.outer(name) }));
    }

    expect(outcomes).toEqual(outcomes.map(() => ends));
    // In the last attempt there was no write left to be killed after.
    expect(hasDied).toBe(false);
    expect(outcomes.length).toBeGreaterThan(2);
  });
});

function seen({ inner, outer }: Sides): object {
  const { generation } = outer?.metadata ?? {};
  return {
    inner: inner?.spec.maxReplicas,
    outer: outer?.spec.maxReplicas,
    changes: generation === undefined ? undefined : generation - 1,
  };
}
