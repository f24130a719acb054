import type { Machine } from '@fairway/api/kinds/machine';
import { aCluster } from '@fairway/api/testing/objects';
import { FakeClock } from '@fairway/base/clock-fake';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { Attempts } from '@fairway/kube/controller/attempts';
import { type FakeResponse, FakeTransport } from '@fairway/kube/testing/fake-transport';
import { clusterTag, FAIRWAY_TAG, machineTag } from '@fairway/tenancy/cloud/ownership';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import { classifyError } from '@fairway/tenancy/reconcile/failure';
import { describe, expect, test } from 'vitest';
import { FAIRWAY_CONVENTIONS } from '../conventions.ts';
import type { CloudProviderDependencies } from '../dependencies.ts';
import { NodeReconciler } from './node-reconciler.ts';

const KEY = 'team/demo-general-a';
const cluster = aCluster({}, { name: 'demo', namespace: 'team', uid: 'cluster-uid' });
const machine: Machine = {
  metadata: { name: 'demo-general-a', namespace: 'team', uid: 'machine-uid' },
  spec: { clusterName: 'demo', nodePoolName: 'general', flavor: 'f', image: 'i', version: '1.34.2', floatingIP: false },
};

function serverWithStatus(status: string) {
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

/** A node that has just joined, and the list of servers, which a refresh may replace. */
function start({
  listed = [],
  response,
  node = { metadata: { name: 'demo-general-a', uid: 'node-uid' }, spec: {}, status: {} },
}: {
  listed?: object[];
  response?: () => FakeResponse | undefined;
  node?: TenantNode;
} = {}) {
  const clock = new FakeClock();
  const messages: string[] = [];
  const recordEvent = (_: unknown, reason: string, message: string) => messages.push(`${reason}: ${message}`);
  const api = new FakeTransport(response ?? (() => ({ body: node })));
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
    attempts: new Attempts({ clock, random: () => 1, classify: classifyError }),
    events: { of: () => ({ normal: recordEvent, warning: recordEvent }) },
    clock,
    conventions: FAIRWAY_CONVENTIONS,
  } as unknown as CloudProviderDependencies);
  const signal = new AbortController().signal;
  /** One run per second, regardless of the requested requeue. */
  const runFor = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      await reconciler.reconcile(KEY, { signal });
      await clock.advance(1_000);
    }
  };
  return { reconciler, api, state, messages, runFor };
}

describe('a node', () => {
  test('is initialized with its server’s data', async () => {
    const { api, state, runFor } = start({ listed: [serverWithStatus('ACTIVE')] });

    await runFor(1);

    expect(new Set(api.requestLines.map((line) => line.split(' ')[1]))).toEqual(
      new Set(['/api/v1/nodes/demo-general-a/status', '/api/v1/nodes/demo-general-a']),
    );
    expect(state.refreshes).toBe(0);
  });

  test('causes occasional list calls while the list does not show its server, and is updated once the list does', async () => {
    const { api, state, runFor } = start();

    await runFor(3_600);
    const before = [...api.requestLines];
    state.listed = [serverWithStatus('ACTIVE')];
    await runFor(1);

    expect(state.refreshes).toBeLessThanOrEqual(25);
    expect(before).toEqual([]);
    expect(api.requestLines.length).toBeGreaterThan(0);
  });

  test('is retried with backoff if the tenant’s API does not let Fairway write it', async () => {
    const { api, runFor } = start({ listed: [serverWithStatus('ACTIVE')], response: () => ({ status: 403 }) });

    await runFor(3_600);

    expect(api.requests.length).toBeGreaterThan(3);
    expect(api.requests.length).toBeLessThanOrEqual(25);
  });

  test('is left to the next process when the signal is aborted', async () => {
    const abort = new AbortController();
    const { reconciler, api, state } = start();
    state.onRefresh = () => {
      state.listed = [serverWithStatus('ACTIVE')];
      abort.abort();
    };

    await expect(reconciler.reconcile(KEY, { signal: abort.signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(api.requestLines).toEqual([]);
  });

  test('has one Event after it is initialized', async () => {
    const taints = [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' }];
    const node = { metadata: { name: 'demo-general-a', uid: 'node-uid' }, spec: { taints }, status: {} };
    const { messages, runFor } = start({ listed: [serverWithStatus('ACTIVE')], node });

    await runFor(1);

    expect(messages).toEqual(['Synced: Node synced successfully']);
  });

  test('gets its own address if it selects another server’s, which is reported once', async () => {
    const annotations = { 'alpha.kubernetes.io/provided-node-ip': '169.254.169.254' };
    const node = { metadata: { name: 'demo-general-a', uid: 'node-uid', annotations }, spec: {}, status: {} };
    const { messages, runFor } = start({ listed: [serverWithStatus('ACTIVE')], node });

    await runFor(10);

    expect(messages).toEqual([
      "ProvidedNodeIPIgnored: kubelet's --node-ip is ignored: 169.254.169.254 is not an address of the server, which has 10.0.0.5",
    ]);
  });

  test('is not fought over with a controller that keeps changing it', async () => {
    const { api, runFor } = start({ listed: [serverWithStatus('ACTIVE')] });

    // The node never shows the written values.
    await runFor(3_600);

    expect(api.requests.length).toBeLessThanOrEqual(2 * (20 + 60 * 4 + 1));
  });

  test('triggers a list call soon after it is Ready again while its server is still listed as stopped, but not forever', async () => {
    const taints = [{ key: 'node.cloudprovider.kubernetes.io/shutdown', effect: 'NoSchedule' }];
    const status = { conditions: [{ type: 'Ready', status: 'True' }] };
    const node = { metadata: { name: 'demo-general-a', uid: 'node-uid' }, spec: { taints }, status };
    const { state, runFor } = start({ listed: [serverWithStatus('SHUTOFF')], node });

    await runFor(1);
    const refreshesBefore = state.refreshes;
    await runFor(3_600);

    expect(refreshesBefore).toBe(1);
    expect(state.refreshes).toBeLessThanOrEqual(25);
  });
});
