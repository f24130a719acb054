import { SHIPPED_PLANS } from '@fairway/api/data/plans';
import { IN_USE_FINALIZER } from '@fairway/api/group';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { plans } from '@fairway/api/kinds/plan';
import { FakeClock } from '@fairway/base/clock-fake';
import type { Informer } from '@fairway/kube/client/informer';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { FakeTransport } from '@fairway/kube/testing/fake-transport';
import { clustersByPlan } from '@fairway/tenancy/cache-indexes';
import { describe, expect, test } from 'vitest';
import { InUseProtection } from './in-use.ts';
import { type OfferedObject, offerReconciler } from './reconciler.ts';

function start(configurationProblems: () => readonly string[]) {
  const clock = new FakeClock();
  const api = new FakeTransport();
  const [plan] = SHIPPED_PLANS;
  const object = { ...plan, metadata: { ...plan?.metadata, uid: 'u', generation: 2, finalizers: [IN_USE_FINALIZER] } };
  const informer = { get: () => object, client: new KubeClient(api, { clock }).resource(plans) } as unknown;
  const inUse = new InUseProtection<OfferedObject>({
    informer: informer as Informer<OfferedObject>,
    clusters: {} as unknown as Informer<Cluster>,
    index: clustersByPlan,
    valueOf: () => 'free',
  });
  const reconcile = offerReconciler({
    informer: informer as Informer<OfferedObject>,
    configurationProblems,
    inUse,
    clock,
  });
  /** The last written Ready condition. */
  const reportedText = () => JSON.parse(api.requests.at(-1)?.body ?? '{}').status?.conditions?.[0];
  return { reconcile, api, reportedText };
}

describe('a catalogue entry', () => {
  const signal = new AbortController().signal;

  test.each([
    { problems: [], condition: { status: 'True', reason: 'AsExpected', message: '' } },
    {
      problems: ['spec.a: no', 'spec.b: neither'],
      condition: { status: 'False', reason: 'ConfigurationInvalid', message: 'spec.a: no; spec.b: neither' },
    },
  ])('is reported as $condition.reason', async ({ problems, condition }) => {
    const { reconcile, reportedText } = start(() => problems);

    expect(await reconcile('free', { signal })).toEqual({});
    expect(reportedText()).toMatchObject({ type: 'Ready', ...condition });
  });

  test('is reported as unknown if the check itself fails', async () => {
    const fault = new TypeError('x is undefined');
    const { reconcile, reportedText } = start(() => {
      throw fault;
    });

    await expect(reconcile('free', { signal })).rejects.toBe(fault);
    expect(reportedText()).toMatchObject({ type: 'Ready', status: 'False', reason: 'InternalError' });
  });

  test('is not changed once the signal is aborted', async () => {
    const { reconcile, api } = start(() => []);

    await expect(reconcile('free', { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
    expect(api.requestLines).toEqual([]);
  });
});
