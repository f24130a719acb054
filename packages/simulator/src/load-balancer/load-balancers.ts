import type { z } from 'zod';
import { type ApiRequest, type ApiResponse, accepted, created, noContent, ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { requireAdmin, requireRead, requireWrite } from './access.ts';
import { readRoutes } from './collection.ts';
import { chooseProvider, requireZone } from './flavor-choice.ts';
import type { LoadBalancerLifecycle } from './load-balancer-lifecycle.ts';
import { CreateLoadBalancer, CreateWithSingleVip, UpdateLoadBalancer } from './load-balancer-schema.ts';
import { parse } from './parse.ts';
import { conflict, invalid } from './problem.ts';
import { providerOf } from './provider.ts';
import { requireQuota } from './quota.ts';
import type { LoadBalancer, PendingStep } from './records.ts';
import { changed, newTreeObject } from './stamp.ts';
import { ZERO_STATISTICS } from './statistics.ts';
import { findLoadBalancer, listenersOf, poolsOf } from './tree.ts';
import { makeTree } from './tree-create.ts';
import { additionalVipsOf } from './versions.ts';
import { viewLoadBalancer, viewStatuses, viewTree } from './views.ts';
import { allocateVip, placeVip } from './vip.ts';

export function loadBalancerRoutes(world: World, lifecycle: LoadBalancerLifecycle): Route[] {
  const one = '/loadbalancers/{id}';
  const findReadable = ({ access, params }: ApiRequest): LoadBalancer => {
    const row = findLoadBalancer(world, params['id'] ?? '');
    requireRead(access, row.project_id);
    return row;
  };
  const statuses = (request: ApiRequest): ApiResponse =>
    ok({ statuses: viewStatuses(world, findReadable(request).id) });
  return [
    ...readRoutes({
      singular: 'loadbalancer',
      plural: 'loadbalancers',
      noun: 'Load Balancer',
      table: world.tables.loadBalancers,
      view: (row) => viewLoadBalancer(world, row),
      filters: [
        'provider',
        'flavor_id',
        'availability_zone',
        'vip_address',
        'vip_port_id',
        'vip_subnet_id',
        'vip_network_id',
        'vip_qos_policy_id',
      ],
    }),
    { method: 'POST', template: '/loadbalancers', handle: (request) => create(world, lifecycle, request) },
    { method: 'PUT', template: one, handle: (request) => update(world, lifecycle, request) },
    { method: 'DELETE', template: one, handle: (request) => remove(world, lifecycle, request) },
    { method: 'GET', template: `${one}/status`, handle: statuses },
    { method: 'GET', template: `${one}/statuses`, handle: statuses },
    {
      method: 'GET',
      template: `${one}/stats`,
      handle: (request) => {
        findReadable(request);
        return ok({ stats: ZERO_STATISTICS });
      },
    },
    { method: 'PUT', template: `${one}/failover`, handle: (request) => failOver(world, lifecycle, request) },
  ];
}

function create(world: World, lifecycle: LoadBalancerLifecycle, { access, body }: ApiRequest): ApiResponse {
  const hasVips = additionalVipsOf(world).areKnown;
  const schema = hasVips ? CreateLoadBalancer : CreateWithSingleVip;
  const { loadbalancer: fields }: z.infer<typeof CreateLoadBalancer> = parse(schema, body, 'load_balancer');
  const projectId = fields.project_id ?? fields.tenant_id ?? access.projectId;
  requireWrite(access, projectId);
  refuseQos(fields.vip_qos_policy_id);
  const place = placeVip(world, access, fields);
  requireZone(world, fields.availability_zone, place.network.id);
  const provider = chooseProvider(world, fields);
  requireQuota(world, 'Load Balancer', projectId);
  const common = newTreeObject(world, projectId, fields);
  const vip = allocateVip(world, provider, { loadBalancerId: common.id, projectId }, place);
  const loadBalancer = lifecycle.begin(
    {
      ...common,
      ...vip,
      name: fields.name ?? '',
      description: fields.description ?? '',
      vip_qos_policy_id: null,
      provider,
      flavor_id: fields.flavor_id ?? null,
      availability_zone: fields.availability_zone ?? null,
      securityGroupId: null,
      pending: null,
    },
    'create',
  );
  makeTree(world, loadBalancer, fields.listeners ?? [], fields.pools ?? []);
  return created({ loadbalancer: viewTree(world, loadBalancer) });
}

/** Refuses QoS policies, which the cloud does not support. */
function refuseQos(policyId: string | null | undefined): void {
  if (policyId != null) throw invalid('VIP QoS policy is not allowed in this deployment.');
}

function requireState(loadBalancer: LoadBalancer, step: Exclude<PendingStep, 'create'>): void {
  const { id, provisioning_status: state } = loadBalancer;
  if (state === 'ACTIVE' || (state === 'ERROR' && step !== 'update')) return;
  throw conflict(`Invalid state ${state} of loadbalancer resource ${id}`);
}

function update(world: World, lifecycle: LoadBalancerLifecycle, { access, body, params }: ApiRequest): ApiResponse {
  const { loadbalancer: fields } = parse(UpdateLoadBalancer, body, 'load_balancer');
  const before = findLoadBalancer(world, params['id'] ?? '');
  requireWrite(access, before.project_id);
  refuseQos(fields.vip_qos_policy_id);
  requireState(before, 'update');
  const after = changed(before, {
    name: fields.name === null ? '' : fields.name,
    description: fields.description === null ? '' : fields.description,
    admin_state_up: fields.admin_state_up === null ? false : fields.admin_state_up,
    tags: fields.tags ?? undefined,
  });
  return ok({ loadbalancer: viewLoadBalancer(world, lifecycle.begin(after, 'update')) });
}

function remove(world: World, lifecycle: LoadBalancerLifecycle, { access, params, query }: ApiRequest): ApiResponse {
  const loadBalancer = findLoadBalancer(world, params['id'] ?? '');
  requireWrite(access, loadBalancer.project_id);
  const isCascade = ['true', 't', '1', 'yes', 'y', 'on'].includes(query.get('cascade')?.toLowerCase() ?? '');
  const hasChildren = listenersOf(world, loadBalancer).length > 0 || poolsOf(world, loadBalancer).length > 0;
  if (hasChildren && !isCascade) throw invalid(`Cannot delete Load Balancer ${loadBalancer.id} - it has children`);
  requireState(loadBalancer, 'delete');
  lifecycle.begin(loadBalancer, 'delete');
  return noContent;
}

function failOver(world: World, lifecycle: LoadBalancerLifecycle, { access, params }: ApiRequest): ApiResponse {
  const loadBalancer = findLoadBalancer(world, params['id'] ?? '');
  requireAdmin(access);
  requireState(loadBalancer, 'failover');
  providerOf(world, loadBalancer).checkFailover();
  lifecycle.begin(loadBalancer, 'failover');
  return accepted;
}
