import { ApiError, type ApiRequest, type ApiResponse, created, noContent, ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { requireWrite } from './access.ts';
import { readRoutes } from './collection.ts';
import { MAX_RULES, makeRule } from './l7-rules.ts';
import { CreatePolicy, type PolicyChanges, type PolicyFields, UpdatePolicy } from './l7-schema.ts';
import { childrenUnsupported } from './listeners.ts';
import type { LoadBalancerLifecycle } from './load-balancer-lifecycle.ts';
import { lock } from './lock.ts';
import { parse } from './parse.ts';
import { conflict, notFound } from './problem.ts';
import { requireCompatibleProtocols } from './protocols.ts';
import { providerOf } from './provider.ts';
import { requireQuota } from './quota.ts';
import type { L7Action, L7Policy, Listener } from './records.ts';
import { changed, newTreeObject } from './stamp.ts';
import { findListener, findLoadBalancer, findPolicy, policiesOf } from './tree.ts';
import { viewPolicy } from './views.ts';

export function policyRoutes(world: World, lifecycle: LoadBalancerLifecycle): Route[] {
  return [
    ...readRoutes({
      singular: 'l7policy',
      plural: 'l7policies',
      noun: 'L7 Policy',
      table: world.tables.l7Policies,
      view: (row) => viewPolicy(world, row),
      filters: ['action', 'listener_id', 'redirect_pool_id', 'redirect_url', 'redirect_prefix', 'position'],
    }),
    { method: 'POST', template: '/l7policies', handle: (request) => create(world, lifecycle, request) },
    { method: 'PUT', template: '/l7policies/{id}', handle: (request) => update(world, lifecycle, request) },
    { method: 'DELETE', template: '/l7policies/{id}', handle: (request) => remove(world, lifecycle, request) },
  ];
}

type Redirect = Pick<
  L7Policy,
  'action' | 'redirect_pool_id' | 'redirect_url' | 'redirect_prefix' | 'redirect_http_code'
>;

interface RedirectSpec {
  readonly action?: L7Action | null | undefined;
  readonly redirect_pool_id?: string | null | undefined;
  readonly redirect_url?: string | null | undefined;
  readonly redirect_prefix?: string | null | undefined;
  readonly redirect_http_code?: number | null | undefined;
}

/**
 * The action of a policy. A redirect target takes precedence over the requested action, and fields for other actions
 * are dropped. Throws Octavia's 400 if the target is missing or if there are two targets.
 */
export function redirectOf(spec: RedirectSpec): Redirect {
  const { action, redirect_url, redirect_prefix, redirect_pool_id } = spec;
  const noRedirect = { redirect_pool_id: null, redirect_url: null, redirect_prefix: null, redirect_http_code: null };
  if (action === 'REJECT') return { ...noRedirect, action };
  const [url, prefix, poolId] = [
    action === 'REDIRECT_TO_POOL' ? null : redirect_url,
    redirect_prefix,
    action === 'REDIRECT_TO_URL' ? null : redirect_pool_id,
  ];
  if (action === 'REDIRECT_TO_URL' && !url) throw badArguments('redirect_url must not be None');
  if (action === 'REDIRECT_TO_POOL' && !poolId)
    throw badArguments('redirect_pool_id or redirect_pool must not be None');
  if (action === 'REDIRECT_PREFIX' && !prefix) throw badArguments('redirect_prefix must not be None');
  if (poolId && (url || prefix)) {
    throw badArguments('Cannot specify redirect_pool_id and redirect_url or redirect_prefix at the same time');
  }
  const redirect_http_code = spec.redirect_http_code ?? 302;
  if (poolId) return { ...noRedirect, action: 'REDIRECT_TO_POOL', redirect_pool_id: poolId };
  if (prefix) return { ...noRedirect, action: 'REDIRECT_PREFIX', redirect_prefix: prefix, redirect_http_code };
  if (url) return { ...noRedirect, action: 'REDIRECT_TO_URL', redirect_url: url, redirect_http_code };
  throw new ApiError(400, 'Invalid L7 Policy action specified: None');
}

function badArguments(message: string): ApiError {
  return new ApiError(400, `Invalid L7 Policy arguments: ${message}`);
}

/** Validates and stores a new policy with its rules; policies at the same or a later position move down. */
export function makePolicy(world: World, listener: Listener, fields: PolicyFields): L7Policy {
  const others = policiesOf(world, listener);
  const position = Math.min(fields.position ?? others.length + 1, others.length + 1);
  const policy: L7Policy = {
    ...newTreeObject(world, listener.project_id, fields),
    listener_id: listener.id,
    name: fields.name ?? '',
    description: fields.description ?? '',
    position,
    ...redirectOf(fields),
  };
  requirePool(world, listener, policy);
  providerOf(world, findLoadBalancer(world, listener.load_balancer_id)).checkPolicy(listener);
  for (const other of others)
    if (other.position >= position) world.tables.l7Policies.put({ ...other, position: other.position + 1 });
  world.tables.l7Policies.put(policy);
  const rules = fields.rules ?? [];
  if (rules.length > MAX_RULES) throw conflict(`Too many rules on L7 policy ${policy.id}`);
  for (const rule of rules) makeRule(world, policy, rule);
  return policy;
}

function requirePool(world: World, listener: Listener, { redirect_pool_id }: L7Policy): void {
  if (redirect_pool_id === null) return;
  const pool = world.tables.pools.get(redirect_pool_id);
  if (pool?.load_balancer_id !== listener.load_balancer_id) throw notFound('Pool', redirect_pool_id);
  requireCompatibleProtocols(listener.protocol, pool.protocol);
}

function create(world: World, lifecycle: LoadBalancerLifecycle, { access, body }: ApiRequest): ApiResponse {
  const { l7policy: fields } = parse(CreatePolicy, body, 'l7policy_');
  // Octavia's schema accepts rules, but its database then fails: rules can be created only with a whole tree.
  if ((fields.rules?.length ?? 0) > 0) throw new ApiError(500, "'dict' object has no attribute '_sa_instance_state'");
  const listener = findListener(world, fields.listener_id);
  requireWrite(access, listener.project_id);
  if (listener.protocol === 'PROMETHEUS') throw childrenUnsupported();
  requireQuota(world, 'L7 Policy', listener.project_id);
  lock(world, lifecycle, listener.load_balancer_id, { listeners: [listener] });
  const policy = makePolicy(world, listener, fields);
  return created({ l7policy: viewPolicy(world, policy) });
}

function update(world: World, lifecycle: LoadBalancerLifecycle, { access, body, params }: ApiRequest): ApiResponse {
  const { l7policy: fields } = parse(UpdatePolicy, body, 'l7policy_');
  const before = findPolicy(world, params['id'] ?? '');
  const listener = findListener(world, before.listener_id);
  requireWrite(access, before.project_id);
  const after = apply(before, fields);
  requirePool(world, listener, after);
  lock(world, lifecycle, listener.load_balancer_id, { listeners: [listener] });
  if (fields.position != null) move(world, listener, before, fields.position);
  const position = world.tables.l7Policies.get(before.id)?.position ?? before.position;
  const policy = world.tables.l7Policies.put({ ...after, position, provisioning_status: 'PENDING_UPDATE' });
  return ok({ l7policy: viewPolicy(world, policy) });
}

function apply(before: L7Policy, fields: PolicyChanges): L7Policy {
  const redirects =
    fields.action != null ||
    fields.redirect_url != null ||
    fields.redirect_pool_id != null ||
    fields.redirect_prefix != null;
  const described = changed(before, {
    name: fields.name === null ? '' : fields.name,
    description: fields.description === null ? '' : fields.description,
    admin_state_up: fields.admin_state_up === null ? false : fields.admin_state_up,
    tags: fields.tags ?? undefined,
    redirect_http_code: fields.redirect_http_code ?? undefined,
  });
  return redirects ? { ...described, ...redirectOf(fields) } : described;
}

/** Moves a policy to another position; the policies in between shift by one. */
function move(world: World, listener: Listener, policy: L7Policy, position: number): void {
  const others = policiesOf(world, listener).filter(({ id }) => id !== policy.id);
  const order = [...others.slice(0, position - 1), policy, ...others.slice(position - 1)];
  for (const [i, row] of order.entries())
    if (row.position !== i + 1) world.tables.l7Policies.put({ ...row, position: i + 1 });
}

function remove(world: World, lifecycle: LoadBalancerLifecycle, { access, params }: ApiRequest): ApiResponse {
  const policy = findPolicy(world, params['id'] ?? '');
  requireWrite(access, policy.project_id);
  const listener = findListener(world, policy.listener_id);
  lock(world, lifecycle, listener.load_balancer_id, { listeners: [listener] });
  world.tables.l7Policies.put({ ...policy, provisioning_status: 'PENDING_DELETE' });
  return noContent;
}
