import { clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines as machineKind } from '@fairway/api/kinds/machine';
import { FakeClock } from '@fairway/base/clock-fake';
import { LocalObjectSource } from '@fairway/kube/client/local-object-source';
import { Attempts } from '@fairway/kube/controller/attempts';
import { OpenStackError, type OpenStackErrorKind } from '@fairway/openstack/http/openstack-error';
import type { Server } from '@fairway/openstack/types/server';
import { clusterTag, FAIRWAY_TAG, machineTag } from '@fairway/tenancy/cloud/ownership';
import { classifyError } from '@fairway/tenancy/reconcile/failure';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LOAD_BALANCER_SETTINGS } from './cloud-conf/cloud-conf.ts';
import { clusterObject } from './cluster-object.ts';
import type { StandaloneDependencies } from './dependencies.ts';
import { NodeServerReconciler } from './node-server-reconciler.ts';

const CLUSTER = {
  uid: 'uid',
  name: 'c',
  podCIDR: undefined,
  routerID: undefined,
  loadBalancerSettings: DEFAULT_LOAD_BALANCER_SETTINGS,
};

const aServer = (id: string, name: string) =>
  ({
    id,
    name,
    status: 'ACTIVE',
    tags: [FAIRWAY_TAG, clusterTag('uid'), machineTag(id)],
    flavor: { original_name: 'b3-8' },
    addresses: { nodes: [{ addr: '10.0.0.5', version: 4, 'OS-EXT-IPS:type': 'fixed' }] },
  }) as unknown as Server;

const aNode = (name: string, providerID?: string, ready = 'Unknown', age = '1') => ({
  metadata: { name, uid: `node-${name}`, creationTimestamp: age },
  spec: { ...(providerID !== undefined && { providerID }) },
  status: { conditions: [{ type: 'Ready', status: ready }] },
});

const response = (kind: OpenStackErrorKind) =>
  new OpenStackError({
    kind,
    service: 'compute',
    method: 'GET',
    template: '/servers/{id}',
    message: kind,
    outcome: 'notDone',
  });

function observed(nodes: readonly ReturnType<typeof aNode>[], servers: readonly Server[], lookUp: OpenStackErrorKind) {
  const clock = new FakeClock();
  const machines = new LocalObjectSource<Machine>(machineKind);
  const held = new LocalObjectSource(clusters);
  held.put(clusterObject(CLUSTER, undefined));
  const calls = { lists: 0, looks: 0 };
  const state = { servers };
  const snapshot = () => ({ items: new Map(state.servers.map((each) => [each.id, each])), listedAtMs: clock.now() });
  const cloud = {
    region: 'north',
    now: () => clock.now(),
    listedServers: snapshot,
    reliableFromMs: () => clock.now(),
    ledgers: {},
    nodeAddresses: undefined,
    cache: {
      servers: {
        refreshAfter: async () => {
          calls.lists++;
          return snapshot();
        },
      },
    },
    client: {
      compute: {
        servers: {
          get: async () => {
            calls.looks++;
            throw response(lookUp);
          },
        },
      },
    },
  };
  const messages: string[] = [];
  const tenant = {
    clusterUid: 'uid',
    nodes: {
      get: (name: string) => nodes.find(({ metadata }) => metadata.name === name),
      find: (_: unknown, id: string) => nodes.filter(({ spec }) => spec.providerID?.endsWith(`/${id}`)),
    },
  };
  const reconciler = new NodeServerReconciler({
    cluster: CLUSTER,
    clusters: held,
    machines,
    clouds: { of: () => cloud },
    tenants: { get: () => tenant },
    attempts: new Attempts({ clock, random: () => 1, classify: classifyError }),
    events: { of: () => ({ warning: (_: unknown, reason: string) => messages.push(reason) }) },
    clock,
  } as unknown as StandaloneDependencies);
  const { signal } = new AbortController();
  const reconcile = (name: string) => reconciler.reconcile(name, { signal });
  const deletedMachines = (name: string) =>
    machines.get(`kube-system/${name}`)?.status?.conditions?.some(({ reason }) => reason === 'ServerVanished') ?? false;
  return { calls, clock, look: reconcile, machines, messages, state, deletedMachines };
}

const alpha = aServer('1', 'alpha');

describe('a node whose server is not listed', () => {
  const readyNode = aNode('alpha', 'openstack:///1', 'True');

  it.each<{ reason: string; node: ReturnType<typeof aNode>; lookUp: OpenStackErrorKind; isGone: boolean }>([
    {
      reason: 'Nova reports that it does not exist',
      node: aNode('x', 'openstack:///9'),
      lookUp: 'notFound',
      isGone: true,
    },
    { reason: 'Nova does not respond', node: aNode('x', 'openstack:///9'), lookUp: 'unavailable', isGone: false },
    { reason: 'Nova refuses the request', node: aNode('x', 'openstack:///9'), lookUp: 'forbidden', isGone: false },
    { reason: 'it is Ready', node: aNode('x', 'openstack:///9', 'True'), lookUp: 'notFound', isGone: false },
    { reason: 'its providerID is missing', node: aNode('x'), lookUp: 'notFound', isGone: false },
    { reason: 'it belongs to another cloud', node: aNode('x', 'aws:///9'), lookUp: 'notFound', isGone: false },
  ])('is considered deleted ($isGone) if $reason', async ({ node, lookUp, isGone }) => {
    const { look, deletedMachines } = observed([readyNode, node], [alpha], lookUp);
    await look('alpha');
    await look('x');

    expect([deletedMachines('x'), deletedMachines('alpha')]).toEqual([isGone, false]);
  });

  it('is kept if none of the cluster’s servers are listed, because the project must be the wrong one', async () => {
    const { look, deletedMachines } = observed([aNode('x', 'openstack:///9')], [alpha], 'notFound');
    await look('x');

    expect(deletedMachines('x')).toBe(false);
  });

  it('causes a few calls a minute while Nova does not respond', async () => {
    const { calls, clock, look } = observed([readyNode, aNode('x', 'openstack:///9')], [alpha], 'unavailable');
    for (let second = 0; second < 600; second++) {
      await look('x');
      await clock.advance(1_000);
    }

    expect(calls.looks).toBeLessThan(15);
    expect(calls.lists).toBeLessThan(15);
  });
});

it('finds the server of a returning node again, and forgets the server of a deleted node', async () => {
  const nodes = [aNode('alpha', undefined, 'True')];
  const { look, machines, state } = observed(nodes, [], 'notFound');
  await look('alpha');
  expect(machines.list()).toEqual([]);

  state.servers = [alpha];
  await look('alpha');
  expect(machines.get('kube-system/alpha')?.status).toMatchObject({ serverID: '1', address: '10.0.0.5' });

  nodes.length = 0;
  await look('alpha');
  expect(machines.list()).toEqual([]);
});

it('assigns a server to the older of two nodes that refer to the same server', async () => {
  const nodes = [aNode('alpha', 'openstack:///1', 'True', '1'), aNode('thief', 'openstack:///1', 'True', '2')];
  const { look, machines, messages } = observed(nodes, [alpha], 'notFound');
  await look('alpha');
  await look('thief');

  expect(machines.list().map(({ metadata }) => metadata.name)).toEqual(['alpha']);
  expect(messages).toEqual(['ServerAmbiguous']);
});
