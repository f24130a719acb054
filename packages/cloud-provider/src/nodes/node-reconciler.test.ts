import type { Machine } from '@fairway/api/kinds/machine';
import { aCluster } from '@fairway/api/testing/objects';
import { FakeClock } from '@fairway/base/clock-fake';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { Attempts } from '@fairway/kube/controller/attempts';
import { type Answer, AnsweringTransport } from '@fairway/kube/testing/answering-transport';
import { clusterTag, FAIRWAY_TAG, machineTag } from '@fairway/tenancy/cloud/ownership';
import { judgeStep } from '@fairway/tenancy/reconcile/failure';
import { describe, expect, test } from 'vitest';
import type { CloudProviderDependencies } from '../dependencies.ts';
import { NodeReconciler } from './node-reconciler.ts';

const KEY = 'team/demo-general-a';
const cluster = aCluster({}, { name: 'demo', namespace: 'team', uid: 'cluster-uid' });
const machine: Machine = {
  metadata: { name: 'demo-general-a', namespace: 'team', uid: 'machine-uid' },
  spec: { clusterName: 'demo', nodePoolName: 'general', flavor: 'f', image: 'i', version: '1.34.2', floatingIP: false },
};

function serverThatIs(status: string) {
  const addresses = { nodes: [{ addr: '10.0.0.5', version: 4, 'OS-EXT-IPS:type': 'fixed' }] };
  const tags = [FAIRWAY_TAG, clusterTag('cluster-uid'), machineTag('machine-uid')];
  return {
    id: 'server-1',
    name: 'demo-general-a',
    status,
    tags,
    addresses,
    flavor: { original_name: 'f' },
    created: '',
  };
}

/** A node that has just joined, and the list of servers, which a refresh may change. */
function start({ listed = [], answer }: { listed?: object[]; answer?: () => Answer | undefined } = {}) {
  const clock = new FakeClock();
  const node = { metadata: { name: 'demo-general-a' }, spec: {}, status: {} };
  const api = new AnsweringTransport(answer ?? (() => ({ body: node })));
  const state = { listed, refreshes: 0, onRefresh: () => {} };
  const snapshot = () => ({ items: new Map(state.listed.map((server) => ['server-1', server])), listedAtMs: 0 });
  const refreshAfter = async () => {
    state.refreshes++;
    state.onRefresh();
    return snapshot();
  };
  const cloud = {
    region: 'west',
    now: () => clock.now(),
    listedServers: snapshot,
    cache: { servers: { refreshAfter } },
  };
  const reconciler = new NodeReconciler({
    cache: { clusters: { get: () => cluster }, machines: { get: () => machine } },
    clouds: { of: () => cloud },
    tenants: { get: () => ({ nodes: { get: () => node }, client: new KubeClient(api, { clock }) }) },
    attempts: new Attempts({ clock, random: () => 1, judge: judgeStep }),
    clock,
  } as unknown as CloudProviderDependencies);
  const signal = new AbortController().signal;
  /** One run per second, regardless of the requested requeue. */
  const runFor = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      await reconciler.reconcile(KEY, { signal });
      await clock.advance(1_000);
    }
  };
  return { reconciler, api, state, runFor };
}

describe('a node', () => {
  test('is told what its server says', async () => {
    const { api, state, runFor } = start({ listed: [serverThatIs('ACTIVE')] });

    await runFor(1);

    expect(new Set(api.asked.map((line) => line.split(' ')[1]))).toEqual(
      new Set(['/api/v1/nodes/demo-general-a/status', '/api/v1/nodes/demo-general-a']),
    );
    expect(state.refreshes).toBe(0);
  });

  test('whose server the list does not show costs a list now and then, and is served as soon as one shows it', async () => {
    const { api, state, runFor } = start();

    await runFor(3_600);
    const before = [...api.asked];
    state.listed = [serverThatIs('ACTIVE')];
    await runFor(1);

    expect(state.refreshes).toBeLessThanOrEqual(25);
    expect(before).toEqual([]);
    expect(api.asked.length).toBeGreaterThan(0);
  });

  test('that the tenant’s API does not let be written is tried less and less often', async () => {
    const { api, runFor } = start({ listed: [serverThatIs('ACTIVE')], answer: () => ({ status: 403 }) });

    await runFor(3_600);

    expect(api.requests.length).toBeGreaterThan(3);
    expect(api.requests.length).toBeLessThanOrEqual(25);
  });

  test('is left to whoever comes next when the signal aborts', async () => {
    const abort = new AbortController();
    const { reconciler, api, state } = start();
    state.onRefresh = () => {
      state.listed = [serverThatIs('ACTIVE')];
      abort.abort();
    };

    await expect(reconciler.reconcile(KEY, { signal: abort.signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(api.asked).toEqual([]);
  });
});
