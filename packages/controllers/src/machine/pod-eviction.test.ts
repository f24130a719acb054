import { FakeClock } from '@fairway/base/clock-fake';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { Transport, TransportRequest } from '@fairway/kube/client/transport';
import { expect, test } from 'vitest';
import { type DrainedPod, deletePods, evictPods, podsToEvict } from './pod-eviction.ts';

const STARTED = '2026-01-01T00:10:00Z';
const BEFORE = '2026-01-01T00:00:00Z';
const SINCE = '2026-01-01T00:10:02Z';
const ALL_TAINTS = { operator: 'Exists' };

function newPod(creationTimestamp: string, spec: DrainedPod['spec'] = {}): DrainedPod {
  return { metadata: { name: 'web', namespace: 'default', creationTimestamp }, spec };
}

test.each([
  { pod: newPod(BEFORE), is: true, reason: 'it existed before' },
  { pod: newPod(SINCE), is: true, reason: 'it was created before its node was cordoned' },
  { pod: newPod(BEFORE, { tolerations: [ALL_TAINTS] }), is: true, reason: 'it may run elsewhere, too' },
  { pod: newPod(SINCE, { tolerations: [ALL_TAINTS] }), is: false, reason: 'it would return' },
  {
    pod: newPod(SINCE, { tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }] }),
    is: false,
    reason: 'it tolerates this taint',
  },
  {
    pod: newPod(SINCE, { tolerations: [{ operator: 'Exists', effect: 'NoExecute' }] }),
    is: true,
    reason: 'it tolerates other taints',
  },
  {
    pod: newPod(SINCE, {
      tolerations: [ALL_TAINTS],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    }),
    is: true,
    reason: 'a volume must leave before its node is deleted',
  },
])('$pod.metadata.creationTimestamp with $pod.spec.tolerations is evicted: $is: $reason', ({ pod, is }) => {
  expect(podsToEvict([pod], STARTED)).toEqual(is ? [pod] : []);
});

/** An API server with many pods on its node, which responds with a delay. */
class BusyApi implements Transport {
  readonly lists: string[] = [];
  maxConcurrent = 0;
  #inFlight = 0;
  readonly #pods: readonly DrainedPod[];

  constructor(pods: readonly DrainedPod[]) {
    this.#pods = pods;
  }

  async request({ method, path }: TransportRequest) {
    if (method === 'GET') {
      this.lists.push(path);
      const { searchParams } = new URL(path, 'http://api');
      const from = Number(searchParams.get('continue') ?? 0);
      const to = from + Number(searchParams.get('limit') ?? this.#pods.length);
      const metadata = to < this.#pods.length ? { continue: String(to) } : {};
      return apiResponse({ metadata, items: this.#pods.slice(from, to) });
    }
    this.maxConcurrent = Math.max(this.maxConcurrent, ++this.#inFlight);
    await new Promise((resolve) => setImmediate(resolve));
    this.#inFlight--;
    return apiResponse({ metadata: {} });
  }

  close(): void {}
}

function apiResponse(body: object) {
  return { status: 200, headers: {}, text: () => Promise.resolve(JSON.stringify(body)), async *lines() {} };
}

test.each(['evicted', 'deleted'])('many pods on a node are %s a few at a time, and read in pages', async (how) => {
  const podList = Array.from({ length: 1_000 }, (_, index) => ({
    metadata: { name: `p${index}`, namespace: 'default', creationTimestamp: BEFORE },
    spec: { nodeName: 'n' },
  }));
  const api = new BusyApi(podList);
  const client = new KubeClient(api, { clock: new FakeClock() });
  const options = { startTime: STARTED, isWaitingForPods: true, signal: new AbortController().signal };
  const state =
    how === 'evicted'
      ? await evictPods(client, 'n', { ...options, nowMs: 0, volumes: () => Promise.resolve([]) })
      : await deletePods(client, 'n', options);

  expect(state.remaining).toHaveLength(1_000);
  expect(api.maxConcurrent).toBe(32);
  expect(api.lists).toHaveLength(4);
});
