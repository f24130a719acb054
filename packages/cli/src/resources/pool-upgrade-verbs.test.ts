import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { PoolUpgrade } from '@fairway/api/kinds/node-pool-upgrade';
import { aNodePool } from '@fairway/api/testing/objects';
import { describe, expect, test } from 'vitest';
import { requestFor } from './pool-upgrade-verbs.ts';

const TARGET = '1.36.3-0a1b2c3d';
const ABORTED = { metadata: { annotations: { 'fairway.dev/abort-upgrade': TARGET } } };

function pool(state?: PoolUpgrade['state'], { paused = false, aborted = false } = {}): NodePool {
  const upgrade = { target: TARGET, strategy: 'Rolling', state, total: 3, done: 1, summary: '1/3' } as PoolUpgrade;
  const found = aNodePool({ upgradeStrategy: { paused } }, aborted ? ABORTED.metadata : {});
  return state === undefined ? found : { ...found, status: { upgrade } };
}

describe('the upgrade of a pool', () => {
  test.each([
    { verb: 'pause', of: 'in progress', given: pool('Running'), words: /^paused: .*1\/3 nodes are updated to 1\.36/ },
    { verb: 'pause', of: 'not started yet', given: pool(), words: /^paused: .*no node is being updated now/ },
    { verb: 'resume', of: 'paused', given: pool('Paused', { paused: true }), words: /^resumed: .*continues \(1\/3/ },
    {
      verb: 'resume',
      of: 'aborted',
      given: pool('Aborted', { aborted: true }),
      words: /^resumed: the update of its nodes/,
    },
    { verb: 'resume', of: 'done', given: pool('Complete', { paused: true }), words: /no nodes need an update/ },
    {
      verb: 'resume',
      of: 'in progress',
      given: pool('Running'),
      nothing: /not paused and its upgrade was not aborted/,
    },
    { verb: 'abort-upgrade', of: 'in progress', given: pool('Running'), words: /aborted: .*\(1\/3\)/ },
    { verb: 'abort-upgrade', of: 'halted', given: pool('Halted'), words: /aborted: / },
    { verb: 'abort-upgrade', of: 'done', given: pool('Complete'), nothing: /no upgrade in progress/ },
    { verb: 'abort-upgrade', of: 'never', given: pool(), nothing: /no upgrade in progress/ },
    { verb: 'abort-upgrade', of: 'aborted', given: pool('Aborted', { aborted: true }), nothing: /already/ },
  ] as const)('responds to $verb in state: $of', ({ verb, given, ...expected }) => {
    const order = requestFor(verb, given);

    expect('nothing' in order ? order.nothing : order.words).toMatch(
      'nothing' in expected ? expected.nothing : expected.words,
    );
    expect('nothing' in order).toBe('nothing' in expected);
    // The digest means nothing to users.
    expect(order).not.toHaveProperty('words', expect.stringContaining(TARGET));
    expect(order).not.toHaveProperty('nothing', expect.stringContaining(TARGET));
  });

  test('continues when resumed after being both paused and aborted', () => {
    const order = requestFor('resume', pool('Aborted', { aborted: true, paused: true }));

    expect(order).toMatchObject({
      value: {
        metadata: { annotations: { 'fairway.dev/abort-upgrade': null } },
        spec: { upgradeStrategy: { paused: false } },
      },
    });
  });

  test('is identified in the request to abort it, so a later upgrade is not aborted', () => {
    expect(requestFor('abort-upgrade', pool('Running'))).toMatchObject({ value: ABORTED });
  });
});
