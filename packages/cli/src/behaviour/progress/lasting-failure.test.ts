import { nodePools } from '@fairway/api/kinds/node-pool';
import { LASTING_CAUSES, type LastingCause, SwitchedFaults } from '@fairway/controllers/testing/lasting-causes';
import { SteppingClock } from '@fairway/controllers/testing/stepping-clock';
import { TEAM, TestFairway } from '@fairway/controllers/testing/test-fairway';
import { describe, expect, test } from 'vitest';
import { poolReady } from '../../progress/goal.ts';
import { waitFor } from '../../progress/wait-for.ts';
import { fakeContext } from '../../testing/fake-context.ts';

const HOUR_MS = 3_600_000;

/** Output of `fairway np scale general --nodes 21 --timeout 1h` to a pipe, for a pool of one node, while the cause persists. */
async function scale({ begin }: LastingCause) {
  const faults = new SwitchedFaults();
  const clock = new SteppingClock();
  await using fairway = await TestFairway.start({ clock, ...faults.options });
  await clock.during(fairway.readyCluster({ replicas: 1 }));
  await begin(fairway, faults);
  const context = fakeContext({ clock });
  const patch = { type: 'merge', value: { spec: { replicas: 21 } } } as const;
  await fairway.client.resource(nodePools).patch('general', patch, { namespace: TEAM, subresource: 'scale' });
  const connection = { client: fairway.client, namespace: TEAM, server: 'https://127.0.0.1' };
  const waited = waitFor(context, connection, 'demo', poolReady('general'), HOUR_MS);
  const startedMs = clock.now();
  const failure: unknown = await clock.during(waited).catch((error: unknown) => error);
  return { failure, lines: context.written.stderr.split('\n').slice(0, -1), tookMs: clock.now() - startedMs };
}

describe('scaling by twenty during a persistent failure', () => {
  const findCause = (cause: string) => LASTING_CAUSES.find((each) => each.cause === cause) as LastingCause;

  test.each([
    { cause: 'a quota of instances', end: /QuotaExceeded: 1\/21 nodes are ready; / },
    { cause: '403 to servers', end: /PermissionDenied: / },
    { cause: 'Machines that are refused', end: /InternalError: / },
  ])('reports $cause, which a person must resolve, in a few lines and stops waiting', async ({ cause, end }) => {
    const { failure, lines, tookMs } = await scale(findCause(cause));

    expect(String(failure)).toMatch(end);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThanOrEqual(4);
    expect(tookMs).toBeLessThanOrEqual(60_000);
  });

  test.each([
    { cause: 'no valid host', reported: /the cloud has no capacity for the server/ },
    { cause: 'servers that fail', reported: /the server failed/ },
    { cause: '503 to servers', reported: /Injected by the simulator/ },
    {
      cause: 'broken connections',
      reported: /Nova at .* cannot be reached while creating servers; .* \(the connection was lost\)/,
    },
  ])('reports $cause, which the cloud must resolve, in a few lines per hour', async ({ cause, reported }) => {
    const { failure, lines, tookMs } = await scale(findCause(cause));

    expect(String(failure)).toMatch(/timed out after 3600 s/);
    expect(tookMs).toBe(HOUR_MS);
    expect(lines.at(-1)).toMatch(reported);
    expect(lines.length).toBeLessThanOrEqual(6);
  });
});
