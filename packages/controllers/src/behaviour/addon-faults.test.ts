import { DaemonSets, Deployments, Events } from '@fairway/kube/kinds/resources';
import { describe, expect, test } from 'vitest';
import { AddonScenario } from '../testing/addon-scenario.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const KUBE_SYSTEM = { namespace: 'kube-system' };

describe('a cluster that refuses an add-on', () => {
  test('reports it with few calls and one write, without affecting the other add-on', async () => {
    await using scenario = await AddonScenario.begin();
    await scenario.work();
    scenario.fault = ({ method, path }) =>
      method === 'PATCH' && path.includes('deployments/coredns') ? { kind: 'answer', status: 403 } : undefined;
    await scenario.tenant.resource(Deployments).delete('coredns', KUBE_SYSTEM);
    await scenario.clock.pass(2 * MINUTE_MS);
    const failed = await scenario.addon('coredns');
    const { resourceVersion } = (await scenario.cluster()).metadata;
    scenario.forgetRequests();

    await scenario.clock.pass(5 * HOUR_MS);

    expect(failed).toMatchObject({
      state: 'Failed',
      reason: 'AddonRefused',
      message: "the cluster's API server rejected Deployment kube-system/coredns (Forbidden): HTTP 403",
    });
    expect(scenario.conditionOf(await scenario.cluster())).toMatchObject({ status: 'False', reason: 'AddonRefused' });
    expect(await scenario.addon('kube-proxy')).toMatchObject({ state: 'Ready' });
    expect((await scenario.cluster()).metadata.resourceVersion).toBe(resourceVersion);
    expect(scenario.writes().length).toBeGreaterThan(15);
    expect(scenario.writes().length).toBeLessThanOrEqual(25);
    const events = (await scenario.fairway.client.resource(Events).list()).items;
    expect(events.filter(({ reason }) => reason === 'AddonFailed')).toHaveLength(1);
    scenario.fault = undefined;
    await scenario.clock.pass(16 * MINUTE_MS);
    await scenario.work();
    expect(await scenario.addon('coredns')).toMatchObject({ state: 'Ready' });
  });

  test.each([
    { what: 'an add-on', path: 'deployments/coredns', object: 'Deployment kube-system/coredns' },
    { what: 'everything', path: 'configmaps/fairway-addons', object: 'the check of the add-ons' },
  ])('reports it if an unavailable webhook refuses $what', async ({ path: refused, object }) => {
    const message = 'Internal error occurred: failed calling webhook "mine.example.org": connect: no route to host';
    const body = JSON.stringify({ kind: 'Status', status: 'Failure', reason: 'InternalError', code: 500, message });
    await using scenario = await AddonScenario.begin(
      {},
      {
        fault: ({ method, path }) =>
          method === 'PATCH' && path.includes(refused) ? { kind: 'answer', status: 500, body } : undefined,
      },
    );

    expect(await scenario.addon('coredns')).toMatchObject({
      state: 'Failed',
      reason: 'AddonRefused',
      message: `the cluster's API server rejected ${object} (InternalError): ${message}`,
    });
  });
});

describe('a cluster with API faults', () => {
  test('costs one call every few minutes and no writes while its API does not respond for hours', async () => {
    await using scenario = await AddonScenario.begin();
    await scenario.work();
    await scenario.tenant.resource(DaemonSets).delete('kube-proxy', KUBE_SYSTEM);
    scenario.fault = () => ({ kind: 'breaksBefore' });
    await scenario.clock.pass(10 * MINUTE_MS);
    const before = await scenario.addons();
    scenario.forgetRequests();

    await scenario.clock.pass(3 * HOUR_MS);

    expect(scenario.writes()).toEqual([]);
    expect(scenario.reads().length).toBeLessThanOrEqual(3 * 16);
    expect(await scenario.addons()).toEqual(before);
    scenario.fault = undefined;
    await scenario.clock.pass(6 * MINUTE_MS);
    await expect(scenario.tenant.resource(DaemonSets).get('kube-proxy', KUBE_SYSTEM)).resolves.toBeDefined();
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
  ] as const)('converges even if $kind kills the process at write $nth', async ({ nth, kind }) => {
    let written = 0;
    const isDead = () => written >= nth;
    await using scenario = await AddonScenario.begin(
      {},
      { fault: ({ method }) => (method === 'PATCH' && (isDead() || ++written === nth) ? { kind } : undefined) },
    );
    scenario.fault = undefined;
    await scenario.restart();
    await scenario.work();

    expect(isDead()).toBe(true);
    const states = (await scenario.addons()).map(({ state }) => state);
    expect(states).toEqual(['Ready', 'Ready', 'Ready', 'Ready', 'Ready']);
    expect(await scenario.recordedKinds()).toContain('Deployment.apps');
  });
});
