import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { ignoreNotFound } from '@fairway/openstack/http/openstack-error';
import { BATCH_PODS_PER_NODE } from './batch-workload.ts';
import { MAX_ELASTIC_NODES, VERSIONS, type Walk } from './walk.ts';

/** An event that affects a Fairway instance. */
export interface WalkEvent {
  readonly name: string;
  /** The relative frequency. */
  readonly weight: number;
  /** Returns a description for the log; undefined if there was nothing to do. */
  readonly apply: (walk: Walk) => Promise<string | undefined>;
}

const OUTAGES = [500, 503, 429, 403] as const;
const STRATEGIES = [
  { type: 'Rolling', maxSurge: 1, maxUnavailable: 0 },
  { type: 'Rolling', maxSurge: 0, maxUnavailable: 1 },
  { type: 'Rolling', maxSurge: 2, maxUnavailable: 1 },
  { type: 'Rolling', maxSurge: '40%', maxUnavailable: '40%' },
  { type: 'InPlace', maxSurge: 1, maxUnavailable: 0 },
] as const;

const FLAVORS = ['b3-8', 'b3-16'];
const ZONES = [['nova-a'], ['nova-a', 'nova-b'], ['nova-b', 'nova-c']];

/** Actions of users. */
const USER_EVENTS: readonly WalkEvent[] = [
  {
    name: 'scale',
    weight: 4,
    async apply({ fairway, clock, random }) {
      const replicas = Math.floor(random() * 6);
      await clock.during(fairway.patch(nodePools, 'general', { spec: { replicas } }));
      return `scaled to ${replicas}`;
    },
  },
  {
    name: 'delete a machine',
    weight: 2,
    async apply(walk) {
      const machine = walk.pick(await walk.clock.during(walk.fairway.machines()));
      const name = machine?.metadata.name;
      if (name === undefined) return undefined;
      walk.witness.deletedByHand.add(name);
      await walk.clock.during(walk.fairway.delete(machines, name).catch(() => undefined));
      return `deleted machine ${name}`;
    },
  },
  {
    name: 'upgrade',
    weight: 2,
    async apply(walk) {
      const { status } = await walk.cluster();
      const [next] = VERSIONS;
      if (next === undefined || status?.version?.startsWith(next)) return undefined;
      await walk.clock.during(walk.fairway.patch(clusters, 'demo', { spec: { version: next } }));
      return `asked for ${next}`;
    },
  },
  {
    name: 'another strategy',
    weight: 1,
    async apply(walk) {
      const upgradeStrategy = walk.pick(STRATEGIES);
      await walk.clock.during(walk.fairway.patch(nodePools, 'general', { spec: { upgradeStrategy } }));
      return `strategy ${JSON.stringify(upgradeStrategy)}`;
    },
  },
  {
    name: 'another flavor',
    weight: 1,
    async apply(walk) {
      const flavor = walk.pick(FLAVORS);
      await walk.clock.during(walk.fairway.patch(nodePools, 'general', { spec: { flavor } }));
      return `flavor ${flavor}`;
    },
  },
  {
    name: 'other zones',
    weight: 1,
    async apply(walk) {
      const availabilityZones = walk.pick(ZONES);
      await walk.clock.during(walk.fairway.patch(nodePools, 'general', { spec: { availabilityZones } }));
      return `zones ${availabilityZones?.join(', ')}`;
    },
  },
  {
    name: 'more or fewer pods',
    weight: 3,
    async apply({ batch, random }) {
      if (batch === undefined) return undefined;
      batch.size = Math.floor(random() * (MAX_ELASTIC_NODES * BATCH_PODS_PER_NODE + 1));
      return `${batch.size} pods of the batch`;
    },
  },
  {
    name: 'hibernate',
    weight: 1,
    async apply({ fairway, clock }) {
      await clock.during(fairway.patch(clusters, 'demo', { spec: { hibernation: { enabled: true } } }));
      return 'hibernated';
    },
  },
  {
    name: 'wake',
    weight: 3,
    async apply(walk) {
      if ((await walk.cluster()).spec.hibernation?.enabled !== true) return undefined;
      await walk.wake();
      return 'woken';
    },
  },
];

/** Failures of the environment. */
const ENVIRONMENT_EVENTS: readonly WalkEvent[] = [
  {
    name: 'a server dies',
    weight: 3,
    async apply(walk) {
      const server = walk.pick(walk.servers());
      if (server === undefined) return undefined;
      walk.killed.add(server.name);
      const { servers } = walk.fairway.process.project.client.compute;
      const isDeleted = walk.random() < 0.5;
      const work = isDeleted ? servers.delete(server.id) : servers.stop(server.id);
      await walk.clock.during(ignoreNotFound(work).catch(() => undefined));
      return `${isDeleted ? 'deleted' : 'stopped'} server ${server.name}`;
    },
  },
  {
    name: 'the cloud fails',
    weight: 2,
    async apply(walk) {
      const status = walk.pick(OUTAGES) ?? 500;
      const service = walk.random() < 0.5 ? ('compute' as const) : ('network' as const);
      walk.fairway.cloud.faults.add({ service, times: null, action: { kind: 'answer', status } });
      return `${service} answers ${status}`;
    },
  },
  {
    name: 'the cloud recovers',
    weight: 3,
    async apply({ fairway }) {
      fairway.cloud.faults.clear();
      return 'the cloud answers again';
    },
  },
  {
    name: 'the process is replaced',
    weight: 2,
    async apply({ fairway, clock }) {
      await clock.during(fairway.stopProcess());
      await clock.during(fairway.startProcess());
      return 'a new process';
    },
  },
];

export const WALK_EVENTS: readonly WalkEvent[] = [...USER_EVENTS, ...ENVIRONMENT_EVENTS];

/** A random event, by weight. */
export function nextEvent({ random }: Walk): WalkEvent {
  let left = random() * WALK_EVENTS.reduce((sum, { weight }) => sum + weight, 0);
  for (const event of WALK_EVENTS) {
    left -= event.weight;
    if (left < 0) return event;
  }
  return WALK_EVENTS[0] as WalkEvent;
}
