import type { HealthMonitor, Listener, LoadBalancer, Member, Pool } from '@fairway/openstack/types/load-balancer';
import { describe, expect, test } from 'vitest';
import { createBody, type DesiredLoadBalancer, desiredLoadBalancer } from './desired.ts';
import { ignoredChanges, type ObservedTree, type Plan, planLoadBalancer } from './plan.ts';
import { specFromService } from './spec-from-service.ts';
import { aService, DNS, HTTP, SETTINGS } from './testing/services.ts';

type ServiceArguments = Parameters<typeof aService>;

const HTTPS = { name: 'https', protocol: 'TCP', port: 443, nodePort: 30443 };
const MEMBERS = [{ node: 'node-a', address: '10.0.0.1' }];
const all = { isOwn: () => true };

function desiredBy(service: ServiceArguments, members = MEMBERS): DesiredLoadBalancer {
  const { balancerSpec } = specFromService(aService(...service), SETTINGS);
  const names = { namespace: 'shop', name: 'web' };
  return desiredLoadBalancer(balancerSpec, {
    clusterName: 'demo',
    service: names,
    members,
    tags: ['mine'],
    partTags: ['mine'],
    flavorID: undefined,
  });
}

/** What Octavia returns for a load balancer that was created in one call. */
function createdTree(desired: DesiredLoadBalancer, status = 'ACTIVE'): ObservedTree {
  const { listeners, ...body } = createBody(desired);
  const common = { project_id: 'p', provisioning_status: status, admin_state_up: true };
  const loadBalancer: LoadBalancer = {
    ...common,
    id: 'lb',
    name: body.name,
    tags: [...(body.tags ?? [])],
    vip_address: '10.0.0.100',
    provider: body.provider ?? 'amphora',
    listeners: listeners.map((_, index) => ({ id: `listener-${index}` })),
    pools: listeners.map((_, index) => ({ id: `pool-${index}` })),
  };
  const pools: Pool[] = [];
  const monitors: HealthMonitor[] = [];
  const members = new Map<string, Member[]>();
  const observed = listeners.map(({ default_pool, ...listener }, index): Listener => {
    const {
      members: givenMembers = [],
      healthmonitor,
      ...pool
    } = default_pool ?? { name: '', protocol: '', lb_algorithm: '' };
    const id = `pool-${index}`;
    const inPool = givenMembers.map(
      (member, at): Member => ({ ...common, id: `member-${index}-${at}`, tags: [], ...member }),
    );
    members.set(id, inPool);
    if (healthmonitor)
      monitors.push({
        ...common,
        id: `monitor-${index}`,
        pools: [{ id }],
        ...healthmonitor,
        tags: [...(healthmonitor.tags ?? [])],
      });
    pools.push({
      ...common,
      id,
      ...pool,
      tags: [...(pool.tags ?? [])],
      loadbalancers: [{ id: 'lb' }],
      listeners: [{ id: `listener-${index}` }],
      members: inPool.map((member) => ({ id: member.id })),
      healthmonitor_id: healthmonitor && `monitor-${index}`,
    });
    return {
      ...common,
      id: `listener-${index}`,
      ...listener,
      allowed_cidrs: listener.allowed_cidrs ? [...listener.allowed_cidrs] : null,
      tags: [...(listener.tags ?? [])],
      loadbalancers: [{ id: 'lb' }],
      default_pool_id: id,
    };
  });
  return { loadBalancer, listeners: observed, pools, monitors, members };
}

const summary = (plan: Plan): unknown => {
  if (plan.kind !== 'act') return plan.kind === 'recreate' ? `recreate ${plan.field}` : plan.kind;
  const { kind, ...rest } = plan.action;
  return [kind, rest];
};

const planAfter = (before: ServiceArguments, after: ServiceArguments, members = MEMBERS) =>
  summary(planLoadBalancer(desiredBy(after, members), createdTree(desiredBy(before)), all));

test('leaves a matching load balancer unchanged', () => {
  expect(planAfter([{ ports: [HTTP, DNS] }], [{ ports: [HTTP, DNS] }])).toBe('done');
});

test.each([
  { status: 'PENDING_CREATE', plan: 'wait' },
  { status: 'PENDING_UPDATE', plan: 'wait' },
  { status: 'PENDING_DELETE', plan: 'wait' },
  { status: 'ERROR', plan: 'broken' },
])('handles a load balancer that is $status: $plan', ({ status, plan }) => {
  expect(summary(planLoadBalancer(desiredBy([]), createdTree(desiredBy([]), status), all))).toBe(plan);
});

// These cases include states from which cloud-provider-openstack 1.36 never converges, or only after an edit: see
// docs/decisions on load balancers.
describe.each<{ is: string; before: ServiceArguments; after: ServiceArguments; next: unknown }>([
  {
    is: 'a port is added',
    before: [],
    after: [{ ports: [HTTP, HTTPS] }],
    next: ['createListener', { listener: expect.objectContaining({ protocol: 'TCP', protocol_port: 443 }) }],
  },
  { is: 'a port is removed', before: [{ ports: [HTTP, HTTPS] }], after: [], next: ['deletePool', { id: 'pool-1' }] },
  {
    is: 'ports change their order',
    before: [{ ports: [HTTP, HTTPS] }],
    after: [{ ports: [HTTPS, HTTP] }],
    next: 'done',
  },
  {
    is: 'X-Forwarded-For is requested: the listener must be deleted before another takes its port',
    before: [],
    after: [{}, { xForwardedFor: 'true' }],
    next: ['deletePool', { id: 'pool-0' }],
  },
  {
    is: 'TLS is requested',
    before: [{}, { xForwardedFor: 'true' }],
    after: [{}, { xForwardedFor: 'true', tlsContainerRef: 'https://barbican/1' }],
    next: ['deletePool', { id: 'pool-0' }],
  },
  {
    is: 'another certificate',
    before: [{}, { tlsContainerRef: 'https://barbican/1' }],
    after: [{}, { tlsContainerRef: 'https://barbican/2' }],
    next: ['updateListener', { id: 'listener-0', changes: { default_tls_container_ref: 'https://barbican/2' } }],
  },
  {
    is: 'PROXY is requested',
    before: [],
    after: [{}, { proxyProtocol: 'v2' }],
    next: ['deletePool', { id: 'pool-0' }],
  },
  {
    is: 'source ranges are added',
    before: [],
    after: [{ loadBalancerSourceRanges: ['10.0.0.0/8'] }],
    next: ['updateListener', { id: 'listener-0', changes: { allowed_cidrs: ['10.0.0.0/8'] } }],
  },
  {
    is: 'source ranges are removed',
    before: [{ loadBalancerSourceRanges: ['10.0.0.0/8'] }],
    after: [],
    next: ['updateListener', { id: 'listener-0', changes: { allowed_cidrs: null } }],
  },
  {
    is: 'a timeout is removed',
    before: [{}, { timeoutClientData: '1000' }],
    after: [],
    next: ['updateListener', { id: 'listener-0', changes: { timeout_client_data: 50_000 } }],
  },
  {
    is: 'another algorithm',
    before: [],
    after: [{}, { algorithm: 'SOURCE_IP' }],
    next: ['updatePool', { id: 'pool-0', changes: { lb_algorithm: 'SOURCE_IP' } }],
  },
  {
    is: 'session affinity, which upstream sets only at creation',
    before: [],
    after: [{ sessionAffinity: 'ClientIP' }],
    next: ['updatePool', { id: 'pool-0', changes: { session_persistence: { type: 'SOURCE_IP' } } }],
  },
  {
    is: 'the monitor is removed',
    before: [],
    after: [{}, { monitor: 'false' }],
    next: ['deleteMonitor', { id: 'monitor-0' }],
  },
  {
    is: 'a slower monitor',
    before: [],
    after: [{}, { monitorDelay: '30' }],
    next: ['updateMonitor', { id: 'monitor-0', changes: { delay: 30 } }],
  },
  {
    is: 'another monitor: members first, then the old one is deleted',
    before: [],
    after: [{ externalTrafficPolicy: 'Local', healthCheckNodePort: 31000 }],
    next: ['replaceMembers', { poolID: 'pool-0', members: [expect.objectContaining({ monitor_port: 31000 })] }],
  },
  { is: 'another provider', before: [], after: [{}, { provider: 'ovn' }], next: 'recreate provider' },
  { is: 'a provider by its old name', before: [], after: [{}, { provider: 'octavia' }], next: 'done' },
  {
    is: 'another internal address',
    before: [{}, { internal: 'true' }],
    after: [{ loadBalancerIP: '10.0.0.7' }, { internal: 'true' }],
    next: 'recreate address',
  },
])('$is', ({ before, after, next }) => {
  test('plans the next change', () => {
    expect(planAfter(before, after)).toEqual(next);
  });
});

describe('members', () => {
  const twoMembers = [...MEMBERS, { node: 'node-b', address: '10.0.0.2' }];

  test('are replaced in one call when a node is added', () => {
    expect(planAfter([], [], twoMembers)).toEqual([
      'replaceMembers',
      {
        poolID: 'pool-0',
        members: [expect.objectContaining({ address: '10.0.0.1' }), expect.objectContaining({ address: '10.0.0.2' })],
      },
    ]);
  });

  test('keep weights set manually', () => {
    const tree = createdTree(desiredBy([]));
    const [member] = tree.members.get('pool-0') ?? [];
    const weighted = new Map([['pool-0', member ? [{ ...member, weight: 7, backup: true }] : []]]);

    const plan = planLoadBalancer(desiredBy([], twoMembers), { ...tree, members: weighted }, all);

    expect(summary(plan)).toEqual([
      'replaceMembers',
      {
        poolID: 'pool-0',
        members: [expect.objectContaining({ weight: 7, backup: true }), expect.not.objectContaining({ weight: 7 })],
      },
    ]);
  });

  test('are read if they are unknown', () => {
    const plan = planLoadBalancer(desiredBy([]), { ...createdTree(desiredBy([])), members: new Map() }, all);

    expect(summary(plan)).toEqual(['readMembers', { poolID: 'pool-0' }]);
  });
});

describe('drift', () => {
  const tree = createdTree(desiredBy([]));

  test('recreates a missing listener after its pool is deleted', () => {
    const observed = { ...tree, listeners: [] };
    const withoutPool = { ...observed, pools: [], monitors: [] };

    expect(summary(planLoadBalancer(desiredBy([]), observed, all))).toEqual(['deletePool', { id: 'pool-0' }]);
    expect(summary(planLoadBalancer(desiredBy([]), withoutPool, all))).toEqual(['createListener', expect.anything()]);
  });

  test('recreates a missing pool', () => {
    const listeners = tree.listeners.map((listener) => ({ ...listener, default_pool_id: null }));
    const plan = planLoadBalancer(desiredBy([]), { ...tree, listeners, pools: [], monitors: [] }, all);

    expect(summary(plan)).toEqual([
      'createPool',
      { listenerID: 'listener-0', pool: expect.objectContaining({ protocol: 'TCP' }) },
    ]);
  });
});

test('reads a monitor that is missing from the lists, instead of creating it twice', () => {
  const plan = planLoadBalancer(desiredBy([]), { ...createdTree(desiredBy([])), monitors: [] }, all);

  expect(summary(plan)).toEqual(['readMonitor', { id: 'monitor-0', poolID: 'pool-0' }]);
});

test('reports changed immutable settings of an existing load balancer', () => {
  const { loadBalancer } = createdTree(desiredBy([]));
  const desiredState = desiredBy([{}, { subnetID: '4b2ee5ba-2d1f-4ba4-9a31-1b9b2b6a9d5e', availabilityZone: 'az2' }]);

  expect(ignoredChanges(desiredState, loadBalancer)).toEqual(['subnet-id', 'availability-zone']);
  expect(ignoredChanges(desiredBy([]), { ...loadBalancer, vip_subnet_id: 'nodes' })).toEqual([]);
});

describe('a shared load balancer', () => {
  const isOwn = ({ tags }: { readonly tags: readonly string[] }) => tags.includes('mine');

  test('keeps the parts of other owners', () => {
    const tree = createdTree(desiredBy([{ ports: [HTTP, HTTPS] }]));
    const listeners = tree.listeners.map((each, index) => ({ ...each, tags: index === 1 ? ['theirs'] : each.tags }));

    expect(summary(planLoadBalancer(desiredBy([]), { ...tree, listeners }, { isOwn }))).toBe('done');
  });

  // Cases from cloud-provider-openstack's checkListenerPorts and popListener.
  test.each([
    { is: 'nobody', has: [], next: 'done' },
    { is: 'someone on another port', has: [{ protocol: 'TCP', protocol_port: 81 }], next: 'done' },
    { is: 'someone on the port over UDP', has: [{ protocol: 'UDP', protocol_port: 80 }], next: 'done' },
    { is: 'someone on the port', has: [{ protocol: 'TCP', protocol_port: 80 }], next: 'occupied' },
    { is: 'someone on the port over HTTP', has: [{ protocol: 'HTTP', protocol_port: 80 }], next: 'occupied' },
    {
      is: 'someone on the port over TLS',
      has: [{ protocol: 'TERMINATED_HTTPS', protocol_port: 80 }],
      next: 'occupied',
    },
    { is: 'someone on the port over SCTP', has: [{ protocol: 'SCTP', protocol_port: 80 }], next: 'done' },
  ])('plans $next for $is', ({ has, next }) => {
    const tree = createdTree(desiredBy([]));
    const [own] = tree.listeners;
    const others = has.map((each, index) => ({ ...own, ...each, id: `other-${index}`, tags: ['theirs'] }) as Listener);
    // Two listeners cannot use one port: the existing one came first.
    const before = next === 'done' ? tree : { ...tree, listeners: [], pools: [], monitors: [] };
    const observed = { ...before, listeners: [...before.listeners, ...others] };

    expect(summary(planLoadBalancer(desiredBy([]), observed, { isOwn }))).toBe(next);
  });

  test('does not take a port from another owner', () => {
    const tree = createdTree(desiredBy([]));
    const listeners = tree.listeners.map((each) => ({ ...each, tags: ['theirs'] }));

    expect(planLoadBalancer(desiredBy([]), { ...tree, listeners }, { isOwn })).toMatchObject({
      kind: 'occupied',
      listener: { protocol: 'TCP', protocol_port: 80 },
    });
  });
});
