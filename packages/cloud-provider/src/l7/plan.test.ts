import type { Ingress } from '@fairway/kube/kinds/generated/types';
import type { L7Policy } from '@fairway/openstack/types/l7-policy';
import type { Listener, LoadBalancer, Member, Pool } from '@fairway/openstack/types/load-balancer';
import { expect, test } from 'vitest';
import { desiredIngress } from '../ingresses/desired.ts';
import { ingressWishesOf } from '../ingresses/ingress-wishes.ts';
import { SETTINGS } from '../load-balancers/testing/a-service.ts';
import type { DesiredListener, DesiredRouting } from './desired-routing.ts';
import { type ObservedRouting, planRouting } from './plan.ts';

const path = (text: string, service: string) => ({
  path: text,
  pathType: 'Prefix',
  backend: { service: { name: service, port: { number: 80 } } },
});

function desired(...paths: ReturnType<typeof path>[]): DesiredRouting {
  const ingress: Ingress = {
    metadata: { name: 'shop', namespace: 'default' },
    spec: { rules: [{ host: 'shop.example', http: { paths } }] },
  };
  return desiredIngress(ingressWishesOf(ingress, SETTINGS).wishes, {
    settings: SETTINGS,
    ingress: ingress.metadata,
    members: [],
    tags: ['mark'],
    placeOf: () => ({ problem: 'none' }),
  });
}

const TREE = { project_id: 'p', provisioning_status: 'ACTIVE', admin_state_up: true, tags: ['mark'] };

/** As the API shows what `wanted` makes. */
function made(wanted: DesiredRouting): ObservedRouting {
  const pools = wanted.pools.map(
    ({ pool }): Pool => ({
      ...TREE,
      ...pool,
      session_persistence: null,
      id: `id-${pool.name}`,
      tags: ['mark'],
      loadbalancers: [{ id: 'lb' }],
      listeners: [],
      members: [],
    }),
  );
  const [whole] = wanted.listeners;
  if (whole === undefined) throw new Error('no listener');
  const policies = whole.policies.map(
    ({ name, matchTag, rules, target }, index): L7Policy => ({
      ...TREE,
      id: `id-${name}`,
      name,
      tags: ['mark', matchTag],
      listener_id: 'http',
      action: 'REDIRECT_TO_POOL',
      position: index + 1,
      redirect_pool_id: typeof target === 'string' ? `id-${target}` : null,
      rules: rules.map((__, at) => ({ id: `${at}` })),
    }),
  );
  const loadBalancer: LoadBalancer = { ...TREE, id: 'lb', vip_address: '10.0.0.9', listeners: [], pools: [] };
  const listener = { ...TREE, ...whole.listener, tags: ['mark'], allowed_cidrs: null };
  const http: Listener = {
    ...listener,
    insert_headers: { ...whole.listener.insert_headers },
    id: 'http',
    loadbalancers: [{ id: 'lb' }],
  };
  return { loadBalancer, listeners: [http], pools, policies, monitors: [], members: new Map<string, Member[]>() };
}

const NOW = desired(path('/', 'web'), path('/api', 'api'));

/** Does what a plan says to policies, as Octavia does, until there is nothing left. */
function settle(wanted: DesiredRouting, start: ObservedRouting): { kinds: string[]; names: string[] } {
  let observed = start;
  const kinds: string[] = [];
  for (let steps = 0; steps < 50; steps++) {
    const plan = planRouting(wanted, observed);
    if (plan.kind !== 'act') return { kinds, names: observed.policies.map(({ name }) => name ?? '') };
    kinds.push(plan.action.kind);
    observed = after(observed, plan.action);
  }
  throw new Error('it does not settle');
}

type AnyAction = Extract<ReturnType<typeof planRouting>, { kind: 'act' }>['action'];

const renumbered = (all: readonly L7Policy[]) => all.map((policy, index) => ({ ...policy, position: index + 1 }));

function placed(all: readonly L7Policy[], policy: L7Policy, position: number): readonly L7Policy[] {
  const others = all.filter(({ id }) => id !== policy.id);
  return renumbered([...others.slice(0, position - 1), policy, ...others.slice(position - 1)]);
}

/** Octavia, as far as these tables go. */
function after(observed: ObservedRouting, action: AnyAction): ObservedRouting {
  const { policies, pools } = observed;
  if (action.kind === 'createPolicy') {
    const { rules, position, tags, ...fields } = action.policy;
    const ids = rules.map((_, at) => ({ id: `${at}` }));
    const policy = { ...TREE, ...fields, id: `new-${fields.name}`, tags: [...(tags ?? [])], rules: ids, position };
    return { ...observed, policies: placed(policies, policy, position) };
  }
  if (action.kind === 'updatePolicy') {
    const { position, redirect_pool_id } = action.changes;
    const changed = policies.map((each) =>
      each.id === action.id && redirect_pool_id ? { ...each, redirect_pool_id } : each,
    );
    const policy = changed.find(({ id }) => id === action.id);
    return { ...observed, policies: policy && position ? placed(changed, policy, position) : changed };
  }
  if (action.kind === 'deletePolicy') {
    return { ...observed, policies: renumbered(policies.filter(({ id }) => id !== action.id)) };
  }
  if (action.kind === 'deletePool') return { ...observed, pools: pools.filter(({ id }) => id !== action.id) };
  if (action.kind !== 'createSharedPool') throw new Error(`unexpected ${action.kind}`);
  const pool = { ...TREE, ...action.pool, session_persistence: null, tags: ['mark'] };
  return {
    ...observed,
    pools: [...pools, { ...pool, id: `id-${pool.name}`, loadbalancers: [], listeners: [], members: [] }],
  };
}

test.each<{ is: string; wanted: DesiredRouting; start?: ObservedRouting; kinds: string[] }>([
  { is: 'what is as it should be', wanted: NOW, kinds: [] },
  {
    is: 'a path more of a Service that is there',
    wanted: desired(path('/', 'web'), path('/api', 'api'), path('/api/v2', 'web')),
    kinds: ['createPolicy'],
  },
  {
    is: 'a path more of another Service: the pool first',
    wanted: desired(path('/', 'web'), path('/api', 'api'), path('/x', 'x')),
    kinds: ['createSharedPool', 'createPolicy'],
  },
  {
    is: 'a path less: its pool last',
    wanted: desired(path('/', 'web')),
    kinds: ['deletePolicy', 'deletePool'],
  },
  {
    is: 'many paths less, of those that come first',
    wanted: desired(path('/', 'web')),
    start: made(desired(path('/', 'web'), path('/1', 'web'), path('/2', 'web'), path('/3', 'web'))),
    kinds: ['deletePolicy', 'deletePolicy', 'deletePolicy'],
  },
  {
    is: 'another path: it is there before the old one goes',
    wanted: desired(path('/', 'web'), path('/v2', 'api')),
    kinds: ['createPolicy', 'deletePolicy'],
  },
  {
    is: 'another Service',
    wanted: desired(path('/', 'web'), path('/api', 'web')),
    kinds: ['updatePolicy', 'deletePool'],
  },
  {
    is: 'policies in another order',
    wanted: NOW,
    start: {
      ...made(NOW),
      policies: made(NOW)
        .policies.toReversed()
        .map((each, at) => ({ ...each, position: at + 1 })),
    },
    kinds: ['updatePolicy'],
  },
  {
    is: 'a policy that has lost a rule',
    wanted: NOW,
    start: { ...made(NOW), policies: made(NOW).policies.map((each) => ({ ...each, rules: each.rules.slice(2) })) },
    kinds: ['createPolicy', 'createPolicy', 'deletePolicy', 'deletePolicy'],
  },
  {
    is: 'two of one policy, of a create that was tried twice',
    wanted: NOW,
    start: {
      ...made(NOW),
      policies: [...made(NOW).policies, { ...made(NOW).policies[0], id: 'twin', position: 3 } as L7Policy],
    },
    kinds: ['deletePolicy'],
  },
])('$is', ({ wanted, start = made(NOW), kinds }) => {
  const settled = settle(wanted, start);

  expect(settled).toEqual({ kinds, names: wanted.listeners[0]?.policies.map(({ name }) => name) });
});

test.each([
  ['PENDING_UPDATE', 'wait'],
  ['ERROR', 'broken'],
])('one that is %s: %s', (state, kind) => {
  const now = made(NOW);
  const observed = { ...now, loadBalancer: { ...now.loadBalancer, provisioning_status: state }, policies: [] };

  expect(planRouting(NOW, observed)).toEqual({ kind });
});

test('a listener of somebody else goes first, as it may hold the port', () => {
  const now = made(NOW);
  const tcp = { ...(now.listeners[0] as Listener), id: 'tcp', protocol: 'TCP' };

  expect(planRouting(NOW, { ...now, listeners: [tcp] })).toEqual({
    kind: 'act',
    action: { kind: 'deleteListener', id: 'tcp' },
  });
});

test('a policy that somebody has sent elsewhere is replaced where it redirects', () => {
  const redirect = {
    action: 'REDIRECT_PREFIX',
    redirect_prefix: 'https://shop.example',
    redirect_http_code: 301,
  } as const;
  const whole = NOW.listeners[0] as DesiredListener;
  const wanted = {
    ...NOW,
    listeners: [{ ...whole, policies: whole.policies.map((each) => ({ ...each, target: redirect })) }],
  };
  const now = made(NOW);
  const sent = now.policies.map((each) => ({ ...each, ...redirect, redirect_pool_id: null }));
  const elsewhere = {
    ...now,
    pools: [],
    policies: sent.map((each) => ({ ...each, redirect_prefix: 'https://evil.example' })),
  };

  expect(planRouting({ ...wanted, pools: [] }, { ...now, pools: [], policies: sent })).toEqual({ kind: 'done' });
  expect(planRouting({ ...wanted, pools: [] }, elsewhere)).toMatchObject({
    action: { kind: 'createPolicy', policy: { redirect_prefix: 'https://shop.example' } },
  });
});

test('a port more is a listener more, and one less goes first', () => {
  const [whole] = NOW.listeners;
  const more = { ...whole, listener: { ...whole?.listener, protocol: 'HTTP', protocol_port: 8080 } } as DesiredListener;

  expect(planRouting({ ...NOW, listeners: [...NOW.listeners, more] }, made(NOW))).toMatchObject({
    action: { kind: 'createHttpListener', listener: { protocol_port: 8080 } },
  });
  expect(planRouting({ ...NOW, listeners: [more] }, made(NOW))).toEqual({
    kind: 'act',
    action: { kind: 'deleteListener', id: 'http' },
  });
});
