import type { Machine } from '@fairway/api/kinds/machine';
import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import { FakeClock } from '@fairway/base/clock-fake';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { Attempts } from '@fairway/kube/controller/attempts';
import { FakeTransport } from '@fairway/kube/testing/fake-transport';
import { OpenStackError } from '@fairway/openstack/http/openstack-error';
import { classifyError } from '@fairway/tenancy/reconcile/failure';
import { expect, test } from 'vitest';
import type { ControllerDependencies } from '../dependencies.ts';
import { ServerLabelsReconciler } from './reconciler.ts';

const KEY = 'team/demo-general-a';
const pool = aNodePool({ serverTags: ['team:web'] }, { name: 'general', namespace: 'team', uid: 'pool-uid' });
const machine: Machine = {
  metadata: { name: 'demo-general-a', namespace: 'team', uid: 'machine-uid' },
  spec: { clusterName: 'demo', nodePoolName: 'general', flavor: 'f', image: 'i', version: '1.34.2', floatingIP: false },
  status: { serverID: 's' },
};
const server = {
  id: 's',
  status: 'ACTIVE',
  created: '2026-01-01T00:00:00Z',
  tags: ['fairway', 'fairway-cluster-c', 'fairway-machine-machine-uid'],
  metadata: {},
};

/** A server that lacks a tag of its pool, in a cloud that may reject it. */
function start({ refusesWrites }: { refusesWrites: boolean }) {
  const clock = new FakeClock();
  const ownApi = new FakeTransport(undefined);
  const events: string[] = [];
  const calls: string[] = [];
  const snapshot = { items: new Map([[server.id, server]]), listedAtMs: clock.now() };
  const cloud = {
    cache: { servers: { snapshot: () => snapshot, refreshAfter: async () => snapshot, invalidate: () => undefined } },
    client: {
      compute: {
        servers: {
          addTag: async (_id: string, tag: string) => {
            // The record is written first.
            calls.push(`${tag} after ${ownApi.requestLines.length} writes`);
            if (refusesWrites) throw new OpenStackError(REFUSAL_ERROR);
          },
        },
      },
    },
  };
  const reconciler = new ServerLabelsReconciler({
    client: new KubeClient(ownApi, { clock }),
    cache: {
      clusters: { get: () => aCluster({}, { name: 'demo', namespace: 'team' }) },
      machines: { get: () => machine },
      nodePools: { get: () => pool },
    },
    clouds: { of: () => cloud },
    attempts: new Attempts({ clock, random: () => 1, classify: classifyError }),
    events: { warning: (_: unknown, reason: string, message: string) => events.push(`${reason}: ${message}`) },
    clock,
  } as unknown as ControllerDependencies);
  return { reconciler, ownApi, calls, clock, events };
}

const REFUSAL_ERROR = {
  kind: 'forbidden',
  service: 'compute',
  method: 'PUT',
  template: '/servers/{server_id}/tags/{tag}',
  status: 403,
  outcome: 'notDone',
  message: 'Policy does not allow it',
} as ConstructorParameters<typeof OpenStackError>[0];
const signal = new AbortController().signal;

test('a tag is recorded before the server has it', async () => {
  const { reconciler, ownApi, calls } = start({ refusesWrites: false });

  await reconciler.reconcile(KEY, { signal });

  expect(calls).toEqual(['team:web after 1 writes']);
  expect(ownApi.requestLines).toEqual([
    'PATCH /apis/fairway.dev/v1alpha1/namespaces/team/machines/demo-general-a/status',
  ]);
});

test('a cloud that rejects tags is called less and less often, with one Event for each attempt', async () => {
  const { reconciler, calls, clock, events } = start({ refusesWrites: true });

  for (let second = 0; second < 3_600; second++) {
    await reconciler.reconcile(KEY, { signal });
    await clock.advance(1_000);
  }

  expect(calls.length).toBeLessThanOrEqual(25);
  expect(events.length).toBe(calls.length);
  expect(new Set(events).size).toBe(1);
  expect(events[0]).toMatch(/^ServerLabelsNotApplied: the pool's tags and metadata are not applied to the server: /);
});
