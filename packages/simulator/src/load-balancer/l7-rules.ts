import { type ApiRequest, type ApiResponse, created, noContent, ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { requireRead, requireWrite } from './access.ts';
import { listChildren } from './collection.ts';
import { checkRule } from './l7-rule-validation.ts';
import { CreateRule, type RuleFields, UpdateRule } from './l7-schema.ts';
import type { LoadBalancerLifecycle } from './load-balancer-lifecycle.ts';
import { lock } from './lock.ts';
import { parse } from './parse.ts';
import { conflict, parentNotFound } from './problem.ts';
import { pick } from './query.ts';
import { requireQuota } from './quota.ts';
import type { L7Policy, L7Rule } from './records.ts';
import { changed, newTreeObject } from './stamp.ts';
import { findListener, findPolicy, findRule, rulesOf } from './tree.ts';
import { viewRule } from './views.ts';

/** Octavia's maximum number of rules per policy. */
export const MAX_RULES = 50;

const FILTERS = ['type', 'compare_type', 'key', 'value', 'invert'];

export function ruleRoutes(world: World, lifecycle: LoadBalancerLifecycle): Route[] {
  const policyOf = ({ params }: ApiRequest): L7Policy => {
    const policy = world.tables.l7Policies.get(params['policy'] ?? '');
    if (policy === undefined) throw parentNotFound('L7Policy', params['policy'] ?? '');
    return policy;
  };
  const ruleOf = (request: ApiRequest): L7Rule => findRule(world, policyOf(request).id, request.params['id'] ?? '');
  const all = '/l7policies/{policy}/rules';
  const one = `${all}/{id}`;
  return [
    {
      method: 'GET',
      template: all,
      handle: (request) => {
        const policy = policyOf(request);
        requireRead(request.access, policy.project_id);
        return listChildren(request, 'rules', rulesOf(world, policy).map(viewRule), FILTERS);
      },
    },
    {
      method: 'GET',
      template: one,
      handle: (request) => {
        const rule = ruleOf(request);
        requireRead(request.access, rule.project_id);
        return ok({ rule: pick(viewRule(rule), request.query) });
      },
    },
    { method: 'POST', template: all, handle: (request) => create(world, lifecycle, request, policyOf(request)) },
    { method: 'PUT', template: one, handle: (request) => update(world, lifecycle, request, ruleOf(request)) },
    { method: 'DELETE', template: one, handle: (request) => remove(world, lifecycle, request, ruleOf(request)) },
  ];
}

/** Validates and stores a new rule. */
export function makeRule(world: World, policy: L7Policy, fields: RuleFields): L7Rule {
  const rule: L7Rule = {
    ...newTreeObject(world, policy.project_id, fields),
    l7policy_id: policy.id,
    type: fields.type,
    compare_type: fields.compare_type,
    key: fields.key ?? null,
    value: fields.value,
    invert: fields.invert ?? false,
  };
  checkRule(rule);
  return world.tables.l7Rules.put(rule);
}

function lockPolicy(world: World, lifecycle: LoadBalancerLifecycle, policy: L7Policy): void {
  const listener = findListener(world, policy.listener_id);
  lock(world, lifecycle, listener.load_balancer_id, { listeners: [listener], policy });
}

function create(
  world: World,
  lifecycle: LoadBalancerLifecycle,
  { access, body }: ApiRequest,
  policy: L7Policy,
): ApiResponse {
  const { rule: fields } = parse(CreateRule, body, 'rule_');
  requireWrite(access, policy.project_id);
  if (rulesOf(world, policy).length >= MAX_RULES) throw conflict(`Too many rules on L7 policy ${policy.id}`);
  requireQuota(world, 'L7 Rule', policy.project_id);
  lockPolicy(world, lifecycle, policy);
  return created({ rule: viewRule(makeRule(world, policy, fields)) });
}

function update(
  world: World,
  lifecycle: LoadBalancerLifecycle,
  { access, body }: ApiRequest,
  before: L7Rule,
): ApiResponse {
  const { rule: fields } = parse(UpdateRule, body, 'rule_');
  requireWrite(access, before.project_id);
  const after = changed(before, {
    type: fields.type ?? undefined,
    compare_type: fields.compare_type ?? undefined,
    key: fields.key,
    value: fields.value ?? undefined,
    invert: fields.invert === null ? false : fields.invert,
    admin_state_up: fields.admin_state_up === null ? false : fields.admin_state_up,
    tags: fields.tags ?? undefined,
    provisioning_status: 'PENDING_UPDATE',
  });
  checkRule(after);
  lockPolicy(world, lifecycle, findPolicy(world, before.l7policy_id));
  return ok({ rule: viewRule(world.tables.l7Rules.put(after)) });
}

function remove(world: World, lifecycle: LoadBalancerLifecycle, { access }: ApiRequest, rule: L7Rule): ApiResponse {
  requireWrite(access, rule.project_id);
  lockPolicy(world, lifecycle, findPolicy(world, rule.l7policy_id));
  world.tables.l7Rules.put({ ...rule, provisioning_status: 'PENDING_DELETE' });
  return noContent;
}
