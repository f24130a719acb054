import { FakeClock } from '@fairway/base/clock-fake';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { Transport, TransportRequest } from '@fairway/kube/client/transport';
import { expect, test } from 'vitest';
import { type DrainedPod, deletePods, evictPods, podsToEvict } from './pod-eviction.ts';

const STARTED = '2026-01-01T00:10:00Z';
const BEFORE = '2026-01-01T00:00:00Z';
const SINCE = '2026-01-01T00:10:02Z';
const ALL_TAINTS = { operator: 'Exists' };

function aPod(creationTimestamp: string, spec: DrainedPod['spec'] = {}): DrainedPod {
  return { metadata: { name: 'web', namespace: 'default', creationTimestamp }, spec };
}

test.each([
  { pod: aPod(BEFORE), is: true, reason: 'it was there' },
  { pod: aPod(SINCE), is: true, reason: 'it has come before its node was cordoned' },
  { pod: aPod(BEFORE, { tolerations: [ALL_TAINTS] }), is: true, reason: 'it may run elsewhere, too' },
  { pod: aPod(SINCE, { tolerations: [ALL_TAINTS] }), is: false, reason: 'it would come back again' },
  {
    pod: aPod(SINCE, { tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }] }),
    is: false,
    reason: 'it tolerates this one',
  },
  {
    pod: aPod(SINCE, { tolerations: [{ operator: 'Exists', effect: 'NoExecute' }] }),
    is: true,
    reason: 'it tolerates others',
  },
  {
    pod: aPod(SINCE, {
      tolerations: [ALL_TAINTS],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    }),
    is: true,
    reason: 'a volume goes before its node',
  },
])('$pod.metadata.creationTimestamp with $pod.spec.tolerations is evicted: $is: $reason', ({ pod, is }) => {
  expect(podsToEvict([pod], STARTED)).toEqual(is ? [pod] : []);
});

/** An API server on whose node are many pods, and that answers a moment later. */
class CrowdedApi implements Transport {
  readonly lists: string[] = [];
  mostAtOnce = 0;
  #underWay = 0;
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
      return answer({ metadata, items: this.#pods.slice(from, to) });
    }
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#underWay);
    await new Promise((resolve) => setImmediate(resolve));
    this.#underWay--;
    return answer({ metadata: {} });
  }

  close(): void {}
}

function answer(body: object) {
  return { status: 200, headers: {}, text: () => Promise.resolve(JSON.stringify(body)), async *lines() {} };
}

test.each(['evicted', 'deleted'])(
  'of a crowd on a node some are %s at a time, and it is read in pages',
  async (how) => {
    const crowd = Array.from({ length: 1_000 }, (_, index) => ({
      metadata: { name: `p${index}`, namespace: 'default', creationTimestamp: BEFORE },
      spec: { nodeName: 'n' },
    }));
    const api = new CrowdedApi(crowd);
    const client = new KubeClient(api, { clock: new FakeClock() });
    const options = { startTime: STARTED, waitsForLeaving: true, signal: new AbortController().signal };
    const state =
      how === 'evicted'
        ? await evictPods(client, 'n', { ...options, nowMs: 0, volumes: () => Promise.resolve([]) })
        : await deletePods(client, 'n', options);

    expect(state.remaining).toHaveLength(1_000);
    expect(api.mostAtOnce).toBe(32);
    expect(api.lists).toHaveLength(4);
  },
);
