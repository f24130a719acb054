import type { Machine } from '@fairway/api/kinds/machine';
import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import { FakeClock } from '@fairway/base/clock-fake';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { Attempts } from '@fairway/kube/controller/attempts';
import { type FakeResponse, FakeTransport } from '@fairway/kube/testing/fake-transport';
import { classifyError } from '@fairway/tenancy/reconcile/failure';
import { describe, expect, test } from 'vitest';
import type { ControllerDependencies } from '../dependencies.ts';
import { NodeTemplateReconciler } from './reconciler.ts';

const KEY = 'team/demo-general-a';
const cluster = aCluster({}, { name: 'demo', namespace: 'team', uid: 'cluster-uid' });
const template = { metadata: { labels: { tier: 'web' } }, spec: {} };
const pool = aNodePool({ template }, { name: 'general', namespace: 'team', uid: 'pool-uid' });
const machine: Machine = {
  metadata: { name: 'demo-general-a', namespace: 'team', uid: 'machine-uid' },
  spec: { clusterName: 'demo', nodePoolName: 'general', flavor: 'f', image: 'i', version: '1.34.2', floatingIP: false },
};

/** A node that lacks a label of its pool. */
function start({ own, tenant }: { own?: () => FakeResponse | undefined; tenant?: () => FakeResponse | undefined }) {
  const clock = new FakeClock();
  const ownApi = new FakeTransport(own);
  const tenantApi = new FakeTransport(tenant);
  const events: string[] = [];
  const node = { metadata: { name: 'demo-general-a' } };
  const reconciler = new NodeTemplateReconciler({
    client: new KubeClient(ownApi, { clock }),
    cache: {
      clusters: { get: () => cluster },
      machines: { get: () => machine },
      nodePools: { get: () => pool },
    },
    tenants: { get: () => ({ nodes: { get: () => node }, client: new KubeClient(tenantApi, { clock }) }) },
    attempts: new Attempts({ clock, random: () => 1, classify: classifyError }),
    events: { warning: (_: unknown, reason: string, message: string) => events.push(`${reason}: ${message}`) },
    clock,
  } as unknown as ControllerDependencies);
  return { reconciler, ownApi, tenantApi, clock, events };
}

describe('the template of a pool', () => {
  const signal = new AbortController().signal;

  test('is recorded on the Machine, then applied to the node', async () => {
    const { reconciler, ownApi, tenantApi } = start({});

    expect(await reconciler.reconcile(KEY, { signal })).toEqual({});
    expect(ownApi.requestLines).toEqual([
      'PATCH /apis/fairway.dev/v1alpha1/namespaces/team/machines/demo-general-a/status',
    ]);
    expect(tenantApi.requestLines).toEqual(['PATCH /api/v1/nodes/demo-general-a']);
  });

  test('is reported once for each attempt and retried less and less often if the tenant’s API refuses it', async () => {
    const { reconciler, tenantApi, clock, events } = start({ tenant: () => ({ status: 403 }) });

    for (let i = 0; i < 5; i++) await reconciler.reconcile(KEY, { signal });
    const initialRequestCount = tenantApi.requests.length;
    for (let second = 0; second < 3_600; second++) {
      await clock.advance(1_000);
      await reconciler.reconcile(KEY, { signal });
    }

    expect(initialRequestCount).toBe(1);
    expect(tenantApi.requests.length).toBeLessThanOrEqual(25);
    expect(events.length).toBe(tenantApi.requests.length);
    expect(new Set(events).size).toBe(1);
    expect(events[0]).toMatch(
      /^TemplateNotApplied: the pool's template is not applied to the node: the cluster's API server rejects Fairway's request/,
    );
  });

  test('is retried immediately on request', async () => {
    const { reconciler, tenantApi, clock } = start({ tenant: () => ({ status: 403 }) });
    for (let second = 0; second < 100; second++) {
      await reconciler.reconcile(KEY, { signal });
      await clock.advance(1_000);
    }
    const before = tenantApi.requests.length;

    await reconciler.reconcile(KEY, { signal, userTriggered: true });

    expect(tenantApi.requests.length).toBe(before + 1);
  });

  test('is left to the next owner if the signal is aborted', async () => {
    const abort = new AbortController();
    const { reconciler, tenantApi, events } = start({
      own: () => {
        abort.abort();
        return {};
      },
    });

    await expect(reconciler.reconcile(KEY, { signal: abort.signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(tenantApi.requestLines).toEqual([]);
    expect(events).toEqual([]);
  });
});
