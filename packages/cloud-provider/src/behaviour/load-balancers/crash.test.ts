import { resourceCounts } from '@fairway/controllers/testing/cloud-contents';
import { Crash } from '@fairway/controllers/testing/crash';
import type { ServiceSpec } from '@fairway/kube/kinds/generated/types';
import { Nodes } from '@fairway/kube/kinds/resources';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { afterEach, describe, expect, test } from 'vitest';
import { makeSubnet } from '../../load-balancers/testing/dual-stack.ts';
import { LoadBalancedFairway } from '../../load-balancers/testing/load-balanced-fairway.ts';
import {
  TAKEOVER_OPTIONS,
  type UpstreamLoadBalancer,
  upstreamLoadBalancer,
} from '../../load-balancers/testing/upstream-load-balancer.ts';

/*
 * The process dies right after the cloud has executed one of its calls. This is repeated for each call that a change
 * needs. The next process completes the work, without leftovers or duplicates.
 */

/** A fast cloud, because these tests make many changes. */
const lifecycle = { loadBalancerCreate: 2_000, loadBalancerUpdate: 500, loadBalancerDelete: 1_000 };
const latency = { ...NO_LATENCY, lifecycle: { ...NO_LATENCY.lifecycle, ...lifecycle } };
const LOAD_BALANCER_ID_ANNOTATION = 'loadbalancer.openstack.org/load-balancer-id';
/** More calls than any of these changes needs. */
const MAX_CALLS = 60;
const SETTLE_MS = 20_000;

let fairway: LoadBalancedFairway;
afterEach(() => fairway[Symbol.asyncDispose]());

type Ports = NonNullable<ServiceSpec['ports']>;
const ports = (first: number, ...numbers: number[]): Ports =>
  numbers.map((port, index) => ({ name: `p${index}`, port, protocol: 'TCP', nodePort: first + index }));

/** Listeners of all load balancers, with the number of members of each, and the sources that may connect. */
async function served(): Promise<readonly string[]> {
  const trees = await fairway.trees();
  const found = trees.flatMap(({ listeners, pools, members }) =>
    listeners.map(({ protocol_port: port, default_pool_id: pool, allowed_cidrs: ranges }) => {
      const at = pools.findIndex(({ id }) => id === pool);
      return `${port}: ${members[at]?.length}${ranges ? ` for ${ranges.join(',')}` : ''}`;
    }),
  );
  expect(trees.flatMap(({ pools }) => pools)).toHaveLength(found.length);
  return found.toSorted();
}

const cloudResources = () => {
  const { load_balancers, floating_ips } = resourceCounts(fairway.fairway.cloud);
  return { load_balancers, floating_ips };
};

interface Scenario {
  readonly before: () => Promise<unknown>;
  readonly change: () => Promise<unknown>;
  /** What must be true regardless of how often the process has died. */
  readonly after: () => Promise<void>;
  readonly names: readonly string[];
}

/**
 * Kills the process after the first call, the second, and so on, until the change needs no more calls. Resolves with
 * the number of calls.
 */
async function killAfterEachCall(begin: () => Scenario, options: object = {}): Promise<number> {
  const crash = new Crash(/\/lbaas\/|\/floatingips|\/subnets/);
  fairway = await LoadBalancedFairway.start({ cloud: { latency }, ...crash.options, ...options });
  const scenario = begin();
  for (let calls = 1; calls <= MAX_CALLS; calls++) {
    await scenario.before();
    await fairway.clock.pass(SETTLE_MS);
    crash.afterCalls(calls);
    await scenario.change();
    await fairway.clock.pass(SETTLE_MS);
    const hasDied = crash.hasOccurred;
    await fairway.fairway.stopProcess();
    crash.end();
    await fairway.fairway.startProcess();
    await fairway.clock.pass(2 * SETTLE_MS);
    await scenario.after();
    for (const name of scenario.names) {
      if (await fairway.exists(name)) await fairway.delete(name);
    }
    await fairway.clock.pass(2 * SETTLE_MS);
    expect({ calls, ...cloudResources(), served: await served() }).toEqual({
      calls,
      load_balancers: 0,
      floating_ips: 0,
      served: [],
    });
    if (!hasDied) return calls - 1;
  }
  throw new Error(`it takes more than ${MAX_CALLS} calls`);
}

const create = (name: string, first: number, numbers: number[], annotations: Record<string, string> = {}) =>
  fairway.create(name, { ports: ports(first, ...numbers) }, annotations, first);
const isServed = async (name: string) => (await fairway.get(name)).status?.loadBalancer?.ingress?.[0]?.ip;

/** Excludes one node from all load balancers, or includes it again. */
async function excludeNode(value: 'true' | null): Promise<void> {
  const nodes = fairway.fairway.runtime.client(fairway.clusterUid).resource(Nodes);
  const [node] = (await nodes.list()).items;
  const labels = { 'node.kubernetes.io/exclude-from-external-load-balancers': value };
  await nodes.patch(node?.metadata.name ?? '', { type: 'merge', value: { metadata: { labels } } });
}

test('creates a load balancer', async () => {
  const calls = await killAfterEachCall(() => ({
    names: ['web'],
    before: async () => {},
    change: () => create('web', 30_000, [80, 81]),
    async after() {
      expect(cloudResources()).toEqual({ load_balancers: 1, floating_ips: 1 });
      expect(await served()).toEqual(['80: 2', '81: 2']);
      expect(await isServed('web')).toMatch(/^203\./);
    },
  }));

  expect(calls).toBeGreaterThan(3);
});

test('creates a load balancer with two addresses', async () => {
  let hasSubnet = false;
  const calls = await killAfterEachCall(() => ({
    names: ['web'],
    async before() {
      if (!hasSubnet) await makeSubnet(fairway);
      hasSubnet = true;
    },
    change: () =>
      fairway.create('web', {
        ports: ports(30_000, 80),
        ipFamilies: ['IPv6', 'IPv4'],
        ipFamilyPolicy: 'RequireDualStack',
      }),
    async after() {
      expect(cloudResources()).toEqual({ load_balancers: 1, floating_ips: 1 });
      expect(await served()).toEqual(['80: 2']);
      const { status } = await fairway.get('web');
      const addresses = status?.loadBalancer?.ingress?.map(({ ip }) => ip);
      expect(addresses).toEqual([expect.stringMatching(/^fd00:7::/), expect.stringMatching(/^203\./)]);
    },
  }));

  expect(calls).toBeGreaterThan(5);
});

test('changes ports, source ranges and members', async () => {
  const calls = await killAfterEachCall(() => ({
    names: ['web'],
    async before() {
      await excludeNode(null);
      await create('web', 30_000, [80, 81]);
    },
    async change() {
      const spec = { ports: ports(30_000, 82, 81), loadBalancerSourceRanges: ['198.51.100.0/24'] };
      await fairway.patch('web', { spec });
      await excludeNode('true');
    },
    async after() {
      expect(cloudResources()).toEqual({ load_balancers: 1, floating_ips: 1 });
      expect(await served()).toEqual(['81: 1 for 198.51.100.0/24', '82: 1 for 198.51.100.0/24']);
    },
  }));

  expect(calls).toBeGreaterThan(8);
});

test('deletes a load balancer', async () => {
  const calls = await killAfterEachCall(() => ({
    names: ['web'],
    before: () => create('web', 30_000, [80]),
    change: () => fairway.delete('web'),
    async after() {
      expect(cloudResources()).toEqual({ load_balancers: 0, floating_ips: 0 });
      expect(await fairway.exists('web')).toBe(false);
    },
  }));

  expect(calls).toBeGreaterThan(2);
});

/** The Service `first` with its load balancer, and the load balancer's ID. */
async function first(): Promise<string> {
  await create('first', 30_000, [80]);
  await fairway.clock.pass(SETTLE_MS);
  return (await fairway.get('first')).metadata.annotations?.[LOAD_BALANCER_ID_ANNOTATION] ?? '';
}

test('shares a load balancer', async () => {
  let id = '';
  const calls = await killAfterEachCall(() => ({
    names: ['second', 'first'],
    async before() {
      id = await first();
    },
    change: () => create('second', 30_100, [81], { [LOAD_BALANCER_ID_ANNOTATION]: id }),
    async after() {
      expect(cloudResources()).toEqual({ load_balancers: 1, floating_ips: 1 });
      expect(await served()).toEqual(['80: 2', '81: 2']);
      expect(await isServed('second')).toBe(await isServed('first'));
    },
  }));

  expect(calls).toBeGreaterThan(5);
});

test.each([
  { leaves: 'first', stays: 'second', left: '81: 2' },
  { leaves: 'second', stays: 'first', left: '80: 2' },
])('stops sharing a load balancer when the $leaves is deleted', async ({ leaves, stays, left }) => {
  let address: string | undefined;
  const calls = await killAfterEachCall(() => ({
    names: ['first', 'second'],
    async before() {
      const id = await first();
      await create('second', 30_100, [81], { [LOAD_BALANCER_ID_ANNOTATION]: id });
      await fairway.clock.pass(SETTLE_MS);
      address = await isServed('first');
    },
    change: () => fairway.delete(leaves),
    async after() {
      expect(cloudResources()).toEqual({ load_balancers: 1, floating_ips: 1 });
      expect(await served()).toEqual([left]);
      expect(await isServed(stays)).toBe(address);
      expect(await fairway.exists(leaves)).toBe(false);
    },
  }));

  expect(calls).toBeGreaterThan(3);
});

describe('a load balancer that upstream created', () => {
  const services = [
    { name: 'first', port: 80, nodePort: 30_000 },
    { name: 'second', port: 81, nodePort: 30_100 },
  ];
  let upstream: UpstreamLoadBalancer;

  test('is taken over with its address', async () => {
    const scenario = () => ({
      names: ['first'],
      async before() {
        upstream = await upstreamLoadBalancer(fairway, services.slice(0, 1));
      },
      change: () => create('first', 30_000, [80], upstream.annotations),
      async after() {
        expect(cloudResources()).toEqual({ load_balancers: 1, floating_ips: 1 });
        expect(await served()).toEqual(['80: 2']);
        expect((await fairway.trees())[0]?.loadBalancer.id).toBe(upstream.loadBalancer.id);
        expect(await isServed('first')).toBe(upstream.floatingIp.floating_ip_address);
      },
    });

    expect(await killAfterEachCall(scenario, TAKEOVER_OPTIONS)).toBeGreaterThan(10);
  });

  test('is deleted with Services that are deleted before the takeover', async () => {
    const finalizers = ['service.kubernetes.io/load-balancer-cleanup'];
    const scenario = () => ({
      names: [],
      async before() {
        upstream = await upstreamLoadBalancer(fairway, services);
      },
      async change() {
        for (const { name, port, nodePort } of services) {
          await create(name, nodePort, [port], upstream.annotations);
          await fairway.patch(name, { metadata: { finalizers } });
        }
        for (const { name } of services) await fairway.delete(name);
      },
      async after() {
        expect(cloudResources()).toEqual({ load_balancers: 0, floating_ips: 0 });
        for (const { name } of services) expect(await fairway.exists(name)).toBe(false);
      },
    });

    expect(await killAfterEachCall(scenario, TAKEOVER_OPTIONS)).toBeGreaterThan(5);
  });
});
