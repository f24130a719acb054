import type { Ingress } from '@fairway/kube/kinds/generated/types';
import type { L7Policy } from '@fairway/openstack/types/l7-policy';
import type { Listener, LoadBalancer, Member, Pool } from '@fairway/openstack/types/load-balancer';
import { describe, expect, test } from 'vitest';
import { desiredIngress } from '../ingresses/desired.ts';
import { specFromIngress } from '../ingresses/spec-from-ingress.ts';
import { SETTINGS } from '../load-balancers/testing/services.ts';
import type { DesiredListener, DesiredRouting } from './desired-routing.ts';
import { type ObservedRouting, planRouting } from './plan.ts';

const path = (text: string, service: string) => ({
  path: text,
  pathType: 'Prefix',
  backend: { service: { name: service, port: { number: 80 } } },
});

function desired(...paths: ReturnType<typeof path>[]): DesiredRouting {
  return desiredOf({ rules: [{ host: 'shop.example', http: { paths } }] });
}

function desiredOf(spec: Ingress['spec'], certificates?: readonly [string, ...string[]]): DesiredRouting {
  const ingress: Ingress = { metadata: { name: 'shop', namespace: 'default' }, spec };
  return desiredIngress(specFromIngress(ingress, SETTINGS).balancerSpec, {
    settings: SETTINGS,
    ingress: ingress.metadata,
    members: [],
    tags: ['mark'],
    nodePortOf: () => ({ problem: 'none' }),
    certificates,
  });
}

const TREE = { project_id: 'p', provisioning_status: 'ACTIVE', admin_state_up: true, tags: ['mark'] };

/** What the API returns once `desired` has been created. */
function createdRouting(desiredState: DesiredRouting): ObservedRouting {
  const pools = desiredState.pools.map(
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
  const policies = desiredState.listeners.flatMap(({ listener, policies: all }) =>
    all.map(
      ({ name, matchTag, rules, target }, index): L7Policy => ({
        ...TREE,
        id: `${listener.name}-${name}`,
        name,
        tags: ['mark', matchTag],
        listener_id: listener.name ?? '',
        position: index + 1,
        ...(typeof target === 'string' ? { action: 'REDIRECT_TO_POOL', redirect_pool_id: `id-${target}` } : target),
        rules: rules.map((__, at) => ({ id: `${at}` })),
      }),
    ),
  );
  const loadBalancer: LoadBalancer = { ...TREE, id: 'lb', vip_address: '10.0.0.9', listeners: [], pools: [] };
  const listeners = desiredState.listeners.map(
    ({ listener }): Listener => ({
      ...TREE,
      ...listener,
      tags: ['mark'],
      allowed_cidrs: null,
      insert_headers: { ...listener.insert_headers },
      id: listener.name ?? '',
      loadbalancers: [{ id: 'lb' }],
    }),
  );
  return { loadBalancer, listeners, pools, policies, monitors: [], members: new Map<string, Member[]>() };
}

const NOW = desired(path('/', 'web'), path('/api', 'api'));

/** Applies planned changes as Octavia does, until no changes are left. */
function settle(desiredState: DesiredRouting, start: ObservedRouting): { kinds: string[]; names: string[] } {
  let observed = start;
  const kinds: string[] = [];
  for (let steps = 0; steps < 50; steps++) {
    const plan = planRouting(desiredState, observed);
    if (plan.kind !== 'act') return { kinds, names: observed.policies.map(({ name }) => name ?? '') };
    kinds.push(plan.action.kind);
    observed = after(observed, plan.action);
  }
  throw new Error('it does not settle');
}

type AnyAction = Extract<ReturnType<typeof planRouting>, { kind: 'act' }>['action'];

const withPositions = (all: readonly L7Policy[]) => all.map((policy, index) => ({ ...policy, position: index + 1 }));

function withPolicyAt(all: readonly L7Policy[], policy: L7Policy, position: number): readonly L7Policy[] {
  const others = all.filter(({ id }) => id !== policy.id);
  return withPositions([...others.slice(0, position - 1), policy, ...others.slice(position - 1)]);
}

/** A minimal model of Octavia: the routing after one action. */
function after(observed: ObservedRouting, action: AnyAction): ObservedRouting {
  const { policies, pools } = observed;
  if (action.kind === 'createPolicy') {
    const { position, tags, ...fields } = action.policy;
    const policy = { ...TREE, ...fields, id: `new-${fields.name}`, tags: [...(tags ?? [])], rules: [], position };
    return { ...observed, policies: withPolicyAt(policies, policy, position) };
  }
  if (action.kind === 'createRule') {
    const more = { id: action.rule.value };
    return {
      ...observed,
      policies: policies.map((each) =>
        each.id === action.policyID ? { ...each, rules: [...each.rules, more] } : each,
      ),
    };
  }
  if (action.kind === 'updatePolicy') {
    const { position, tags: _, ...changes } = action.changes;
    const changed = policies.map((each) => (each.id === action.id ? { ...each, ...changes } : each));
    const policy = changed.find(({ id }) => id === action.id);
    return { ...observed, policies: policy && position ? withPolicyAt(changed, policy, position) : changed };
  }
  if (action.kind === 'deletePolicy') {
    return { ...observed, policies: withPositions(policies.filter(({ id }) => id !== action.id)) };
  }
  if (action.kind === 'deletePool') return { ...observed, pools: pools.filter(({ id }) => id !== action.id) };
  if (action.kind !== 'createSharedPool') throw new Error(`unexpected ${action.kind}`);
  const pool = { ...TREE, ...action.pool, session_persistence: null, tags: ['mark'] };
  return {
    ...observed,
    pools: [...pools, { ...pool, id: `id-${pool.name}`, loadbalancers: [], listeners: [], members: [] }],
  };
}

/** The steps that create a policy with two rules, which takes effect once it has both. */
const CREATE_STEPS = ['createPolicy', 'createRule', 'createRule', 'updatePolicy'];

test.each<{ is: string; desiredState: DesiredRouting; start?: ObservedRouting; kinds: string[] }>([
  { is: 'nothing to change', desiredState: NOW, kinds: [] },
  {
    is: 'an additional path of a Service in use',
    desiredState: desired(path('/', 'web'), path('/api', 'api'), path('/api/v2', 'web')),
    kinds: CREATE_STEPS,
  },
  {
    is: 'an additional path of another Service: the pool first',
    desiredState: desired(path('/', 'web'), path('/api', 'api'), path('/x', 'x')),
    kinds: ['createSharedPool', ...CREATE_STEPS],
  },
  {
    is: 'a removed path: its pool last',
    desiredState: desired(path('/', 'web')),
    kinds: ['deletePolicy', 'deletePool'],
  },
  {
    is: 'several removed paths, which come first',
    desiredState: desired(path('/', 'web')),
    start: createdRouting(desired(path('/', 'web'), path('/1', 'web'), path('/2', 'web'), path('/3', 'web'))),
    kinds: ['deletePolicy', 'deletePolicy', 'deletePolicy'],
  },
  {
    is: 'a changed path: the new one exists before the old one is deleted',
    desiredState: desired(path('/', 'web'), path('/v2', 'api')),
    kinds: [...CREATE_STEPS, 'deletePolicy'],
  },
  {
    is: 'another Service',
    desiredState: desired(path('/', 'web'), path('/api', 'web')),
    kinds: ['updatePolicy', 'deletePool'],
  },
  {
    is: 'policies in another order',
    desiredState: NOW,
    start: {
      ...createdRouting(NOW),
      policies: createdRouting(NOW)
        .policies.toReversed()
        .map((each, at) => ({ ...each, position: at + 1 })),
    },
    kinds: ['updatePolicy'],
  },
  {
    is: 'a policy that has lost a rule',
    desiredState: NOW,
    start: {
      ...createdRouting(NOW),
      policies: createdRouting(NOW).policies.map((each) => ({ ...each, rules: each.rules.slice(0, 1) })),
    },
    kinds: [...CREATE_STEPS, 'deletePolicy'],
  },
  {
    is: 'a half-created policy: it is completed before it takes effect',
    desiredState: NOW,
    start: {
      ...createdRouting(NOW),
      policies: createdRouting(NOW).policies.map((each) =>
        each.rules.length > 1 ? { ...each, admin_state_up: false, rules: each.rules.slice(0, 1) } : each,
      ),
    },
    kinds: ['createRule', 'updatePolicy'],
  },
  {
    is: 'a policy that someone has disabled',
    desiredState: NOW,
    start: {
      ...createdRouting(NOW),
      policies: createdRouting(NOW).policies.map((each) => ({ ...each, admin_state_up: false })),
    },
    kinds: ['updatePolicy', 'updatePolicy'],
  },
  {
    is: 'a duplicate policy from a repeated create request',
    desiredState: NOW,
    start: {
      ...createdRouting(NOW),
      policies: [
        ...createdRouting(NOW).policies,
        { ...createdRouting(NOW).policies[0], id: 'twin', position: 3 } as L7Policy,
      ],
    },
    kinds: ['deletePolicy'],
  },
])('$is', ({ desiredState, start = createdRouting(NOW), kinds }) => {
  const settled = settle(desiredState, start);

  const names = desiredState.listeners.flatMap(({ policies }) => policies.map(({ name }) => name));
  expect(settled).toEqual({ kinds, names });
});

test.each([
  ['PENDING_UPDATE', 'wait'],
  ['ERROR', 'broken'],
])('handles a load balancer that is %s: %s', (state, kind) => {
  const now = createdRouting(NOW);
  const observed = { ...now, loadBalancer: { ...now.loadBalancer, provisioning_status: state }, policies: [] };

  expect(planRouting(NOW, observed)).toEqual({ kind });
});

test('deletes a foreign listener first, because it may occupy the port', () => {
  const now = createdRouting(NOW);
  const tcp = { ...(now.listeners[0] as Listener), id: 'tcp', protocol: 'TCP' };

  expect(planRouting(NOW, { ...now, listeners: [tcp] })).toEqual({
    kind: 'act',
    action: { kind: 'deleteListener', id: 'tcp' },
  });
});

test('replaces a redirect policy that was changed manually', () => {
  const redirect = {
    action: 'REDIRECT_PREFIX',
    redirect_prefix: 'https://shop.example',
    redirect_http_code: 301,
  } as const;
  const whole = NOW.listeners[0] as DesiredListener;
  const desiredState = {
    ...NOW,
    listeners: [{ ...whole, policies: whole.policies.map((each) => ({ ...each, target: redirect })) }],
  };
  const now = createdRouting(NOW);
  const withRedirect = now.policies.map((each) => ({ ...each, ...redirect, redirect_pool_id: null }));
  const otherTarget = {
    ...now,
    pools: [],
    policies: withRedirect.map((each) => ({ ...each, redirect_prefix: 'https://evil.example' })),
  };

  expect(planRouting({ ...desiredState, pools: [] }, { ...now, pools: [], policies: withRedirect })).toEqual({
    kind: 'done',
  });
  expect(planRouting({ ...desiredState, pools: [] }, otherTarget)).toMatchObject({
    action: { kind: 'createPolicy', policy: { redirect_prefix: 'https://shop.example' } },
  });
});

test('adds a listener for an additional port, and deletes a removed one first', () => {
  const [whole] = NOW.listeners;
  const more = { ...whole, listener: { ...whole?.listener, protocol: 'HTTP', protocol_port: 8080 } } as DesiredListener;

  expect(planRouting({ ...NOW, listeners: [...NOW.listeners, more] }, createdRouting(NOW))).toMatchObject({
    action: { kind: 'createHttpListener', listener: { protocol_port: 8080 } },
  });
  expect(planRouting({ ...NOW, listeners: [more] }, createdRouting(NOW))).toEqual({
    kind: 'act',
    action: { kind: 'deleteListener', id: 'http' },
  });
});

describe('TLS', () => {
  const spec = {
    rules: [{ host: 'shop.example', http: { paths: [path('/', 'web')] } }],
    tls: [{ hosts: ['shop.example'], secretName: 'shop' }],
  };
  const plain = createdRouting(desiredOf({ rules: spec.rules }));

  test('creates HTTPS before HTTP redirects to it', () => {
    const desiredState = desiredOf(spec, ['ref-a']);

    expect(planRouting(desiredState, plain)).toMatchObject({
      kind: 'act',
      action: { kind: 'createHttpListener', listener: { protocol: 'TERMINATED_HTTPS', protocol_port: 443 } },
    });
  });

  test('changes only the listener if its certificate changes', () => {
    const now = createdRouting(desiredOf(spec, ['ref-a', 'ref-b']));

    expect(planRouting(desiredOf(spec, ['ref-a', 'ref-b']), now)).toEqual({ kind: 'done' });
    expect(planRouting(desiredOf(spec, ['ref-c', 'ref-b']), now)).toEqual({
      kind: 'act',
      action: { kind: 'updateListener', id: 'https', changes: { default_tls_container_ref: 'ref-c' } },
    });
  });

  test('removes the HTTPS listener if it has no certificate, but still does not serve its hosts over HTTP', () => {
    const now = createdRouting(desiredOf(spec, ['ref-a']));
    const desiredState = desiredOf(spec);

    expect(planRouting(desiredState, now)).toEqual({ kind: 'act', action: { kind: 'deleteListener', id: 'https' } });
    expect(desiredState.listeners.flatMap(({ policies }) => policies.map(({ target }) => target))).toEqual([
      { action: 'REDIRECT_PREFIX', redirect_prefix: 'https://shop.example', redirect_http_code: 308 },
    ]);
  });
});
