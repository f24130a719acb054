import { DaemonSets, Deployments, Events } from '@fairway/kube/kinds/resources';
import { describe, expect, test } from 'vitest';
import { AddonStory } from '../testing/addon-story.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const KUBE_SYSTEM = { namespace: 'kube-system' };

describe('a cluster that refuses an add-on', () => {
  test('reports it, at few calls and one write; the other add-on is not affected', async () => {
    await using story = await AddonStory.begin();
    await story.work();
    story.fault = ({ method, path }) =>
      method === 'PATCH' && path.includes('deployments/coredns') ? { kind: 'answer', status: 403 } : undefined;
    await story.tenant.resource(Deployments).delete('coredns', KUBE_SYSTEM);
    await story.clock.pass(2 * MINUTE_MS);
    const failed = await story.addon('coredns');
    const { resourceVersion } = (await story.cluster()).metadata;
    story.forgetRequests();

    await story.clock.pass(5 * HOUR_MS);

    expect(failed).toMatchObject({
      state: 'Failed',
      reason: 'AddonRefused',
      message: "the cluster's API server rejected Deployment kube-system/coredns (Forbidden): HTTP 403",
    });
    expect(story.conditionOf(await story.cluster())).toMatchObject({ status: 'False', reason: 'AddonRefused' });
    expect(await story.addon('kube-proxy')).toMatchObject({ state: 'Ready' });
    expect((await story.cluster()).metadata.resourceVersion).toBe(resourceVersion);
    expect(story.writes().length).toBeGreaterThan(15);
    expect(story.writes().length).toBeLessThanOrEqual(25);
    const events = (await story.fairway.client.resource(Events).list()).items;
    expect(events.filter(({ reason }) => reason === 'AddonFailed')).toHaveLength(1);
    story.fault = undefined;
    await story.clock.pass(16 * MINUTE_MS);
    await story.work();
    expect(await story.addon('coredns')).toMatchObject({ state: 'Ready' });
  });

  test.each([
    { what: 'an add-on', path: 'deployments/coredns', object: 'Deployment kube-system/coredns' },
    { what: 'everything', path: 'configmaps/fairway-addons', object: 'the check of the add-ons' },
  ])('reports it if an unavailable webhook refuses $what', async ({ path: refused, object }) => {
    const message = 'Internal error occurred: failed calling webhook "mine.example.org": connect: no route to host';
    const body = JSON.stringify({ kind: 'Status', status: 'Failure', reason: 'InternalError', code: 500, message });
    await using story = await AddonStory.begin(
      {},
      {
        fault: ({ method, path }) =>
          method === 'PATCH' && path.includes(refused) ? { kind: 'answer', status: 500, body } : undefined,
      },
    );

    expect(await story.addon('coredns')).toMatchObject({
      state: 'Failed',
      reason: 'AddonRefused',
      message: `the cluster's API server rejected ${object} (InternalError): ${message}`,
    });
  });
});

describe('an API of a cluster that', () => {
  test('does not respond for hours costs a call every few minutes and no writes', async () => {
    await using story = await AddonStory.begin();
    await story.work();
    await story.tenant.resource(DaemonSets).delete('kube-proxy', KUBE_SYSTEM);
    story.fault = () => ({ kind: 'breaksBefore' });
    await story.clock.pass(10 * MINUTE_MS);
    const before = await story.addons();
    story.forgetRequests();

    await story.clock.pass(3 * HOUR_MS);

    expect(story.writes()).toEqual([]);
    expect(story.reads().length).toBeLessThanOrEqual(3 * 16);
    expect(await story.addons()).toEqual(before);
    story.fault = undefined;
    await story.clock.pass(6 * MINUTE_MS);
    await expect(story.tenant.resource(DaemonSets).get('kube-proxy', KUBE_SYSTEM)).resolves.toBeDefined();
  });

  test.each([
    { nth: 1, kind: 'breaksAfter' },
    { nth: 2, kind: 'breaksBefore' },
    { nth: 5, kind: 'breaksAfter' },
    { nth: 6, kind: 'breaksBefore' },
    { nth: 9, kind: 'breaksAfter' },
    { nth: 11, kind: 'breaksAfter' },
    { nth: 14, kind: 'breaksBefore' },
    { nth: 20, kind: 'breaksAfter' },
  ] as const)(
    '$kind at write $nth of a process that dies with it leaves everything as desired',
    async ({ nth, kind }) => {
      let written = 0;
      const isDead = () => written >= nth;
      await using story = await AddonStory.begin(
        {},
        { fault: ({ method }) => (method === 'PATCH' && (isDead() || ++written === nth) ? { kind } : undefined) },
      );
      story.fault = undefined;
      await story.restart();
      await story.work();

      expect(isDead()).toBe(true);
      const states = (await story.addons()).map(({ state }) => state);
      expect(states).toEqual(['Ready', 'Ready', 'Ready', 'Ready', 'Ready']);
      expect(await story.recordedKinds()).toContain('Deployment.apps');
    },
  );
});
