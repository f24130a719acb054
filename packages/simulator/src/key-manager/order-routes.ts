import { type ApiRequest, type ApiResponse, noContent, ok, type Route } from '../http/api.ts';
import type { Access } from '../identity/access.ts';
import type { World } from '../world.ts';
import { readJson } from './body.ts';
import { generate } from './key-generation.ts';
import { page } from './list.ts';
import { checkOrder, type KeySpec, OrderForm } from './order-form.ts';
import { hasRole, requireCreateRole, requireListRole } from './policy.ts';
import { forbidden, notFound, refuse } from './problem.ts';
import { requireKeyQuota } from './quota.ts';
import type { KeyOrder, KeySecret, SecretType } from './records.ts';
import { isoTime } from './times.ts';
import { containerRef, secretRef } from './views.ts';

/** Orders generate keys and key pairs, which are complete when the response is sent. */
export function orderRoutes(world: World): Route[] {
  const template = '/v1/orders/{id}';
  return [
    { method: 'GET', template: '/v1/orders', handle: (request) => list(world, request) },
    { method: 'POST', template: '/v1/orders', handle: (request) => create(world, request) },
    {
      method: 'PUT',
      template: '/v1/orders',
      handle({ access }) {
        requireCreateRole(access, 'Order update');
        throw refuse(405, 'Order update is not supported.');
      },
    },
    {
      method: 'GET',
      template,
      handle(request) {
        const order = find(world, request);
        if (!hasRole(request.access, 'member', 'admin', 'observer', 'creator', 'audit')) {
          throw forbidden('Order retrieval');
        }
        return ok(view(request.serviceUrl, order));
      },
    },
    {
      method: 'DELETE',
      template,
      handle(request) {
        const { id } = find(world, request);
        if (!hasRole(request.access, 'member', 'admin')) throw forbidden('Order deletion');
        world.tables.keyOrders.delete(id);
        return noContent;
      },
    },
  ];
}

function find({ tables }: World, { access, params }: ApiRequest): KeyOrder {
  const order = tables.keyOrders.get(params['id'] ?? '');
  if (order === undefined || order.projectId !== access.projectId) throw notFound('Order not found.');
  return order;
}

function list({ tables }: World, request: ApiRequest): ApiResponse {
  const { access, query, serviceUrl } = request;
  requireListRole(access, 'Order(s) retrieval');
  const meta = query.get('meta') || undefined;
  const rows = tables.keyOrders.where(
    (order) =>
      order.projectId === access.projectId && (meta === undefined || JSON.stringify(order.meta).includes(meta)),
  );
  return page(request, { name: 'orders', rows, view: (order) => view(serviceUrl, order) });
}

function create(world: World, request: ApiRequest): ApiResponse {
  const { access, serviceUrl } = request;
  requireCreateRole(access, 'Order creation');
  const form = readJson(request, { name: 'Order', schema: OrderForm, listsMissing: true });
  const spec = checkOrder(form, world.clock.now());
  requireKeyQuota(world, access.projectId, 'orders', 'Order creation');
  const { id } = world.tables.keyOrders.put({
    id: world.ids.uuid(),
    projectId: access.projectId,
    creatorId: access.userId,
    type: form.type,
    meta:
      spec === undefined
        ? form.meta
        : { ...form.meta, name: spec.name, expiration: spec.expirationMs === null ? null : isoTime(spec.expirationMs) },
    createdMs: world.clock.now(),
    outcome:
      spec === undefined || form.type === 'certificate' ? { kind: 'waiting' } : fulfil(world, access, form.type, spec),
  });
  const order_ref = `${serviceUrl}/v1/orders/${id}`;
  return { status: 202, body: { order_ref }, headers: { Location: order_ref } };
}

function fulfil(world: World, access: Access, type: 'key' | 'asymmetric', spec: KeySpec): KeyOrder['outcome'] {
  const generated = generate(type, spec, world.random);
  switch (generated.kind) {
    case 'error':
      return generated;
    case 'key':
      return { kind: 'secret', id: store(world, access, spec, 'symmetric', generated.bytes).id };
    case 'pair': {
      const secrets = generated.parts.map((part) => ({
        name: part.name,
        secretId: store(world, access, spec, part.type, part.bytes).id,
      }));
      const nowMs = world.clock.now();
      const { id } = world.tables.keyContainers.put({
        id: world.ids.uuid(),
        projectId: access.projectId,
        creatorId: access.userId,
        name: spec.name,
        createdMs: nowMs,
        updatedMs: nowMs,
        acl: null,
        type: 'rsa',
        secrets,
        consumers: [],
      });
      return { kind: 'container', id };
    }
  }
}

function store(world: World, access: Access, spec: KeySpec, secretType: SecretType, bytes: Buffer): KeySecret {
  const nowMs = world.clock.now();
  return world.tables.keySecrets.put({
    id: world.ids.uuid(),
    projectId: access.projectId,
    creatorId: access.userId,
    name: spec.name,
    createdMs: nowMs,
    updatedMs: nowMs,
    acl: null,
    secretType,
    expirationMs: spec.expirationMs,
    algorithm: spec.algorithm,
    bitLength: spec.bitLength,
    mode: spec.mode,
    payload: { contentType: 'application/octet-stream', base64: bytes.toString('base64') },
    metadata: {},
    consumers: [],
  });
}

const STATES = { secret: 'ACTIVE', container: 'ACTIVE', error: 'ERROR', waiting: 'PENDING' } as const;

function view(root: string, { id, type, meta, createdMs, creatorId, outcome }: KeyOrder): object {
  const time = isoTime(createdMs);
  return {
    created: time,
    updated: time,
    status: STATES[outcome.kind],
    type,
    meta,
    ...(outcome.kind === 'error' && { error_status_code: String(outcome.status), error_reason: outcome.reason }),
    ...(outcome.kind === 'waiting' && {
      sub_status: 'cert_request_pending',
      sub_status_message: 'Request has been submitted to the CA.  Waiting for certificate to be generated',
    }),
    ...((outcome.kind === 'secret' || outcome.kind === 'container') && {
      sub_status: 'Unknown',
      sub_status_message: 'Unknown',
    }),
    creator_id: creatorId,
    ...(outcome.kind === 'secret' && { secret_ref: secretRef(root, outcome.id) }),
    order_ref: `${root}/v1/orders/${id}`,
    ...(outcome.kind === 'container' && { container_ref: containerRef(root, outcome.id) }),
  };
}
