import { type ApiRequest, type ApiResponse, created, noContent, ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { mediaType, readJson } from './body.ts';
import { page } from './list.ts';
import { findSecret } from './lookup.ts';
import { readPayload, sendPayload, wantsMetadata } from './payload.ts';
import { requireCreateRole, requireListRole, requireRight } from './policy.ts';
import { methodNotAllowed, refuse, wrongMediaType } from './problem.ts';
import { requireKeyQuota } from './quota.ts';
import type { KeySecret } from './records.ts';
import { checkSecret, SecretForm } from './secret-form.ts';
import { listSecrets } from './secret-list.ts';
import { secretRef, viewSecret } from './views.ts';

export function secretRoutes(world: World): Route[] {
  const template = '/v1/secrets/{id}';
  return [
    { method: 'GET', template: '/v1/secrets', handle: (request) => list(world, request) },
    { method: 'POST', template: '/v1/secrets', handle: (request) => create(world, request) },
    { method: 'GET', template, handle: (request) => show(world, request) },
    { method: 'PUT', template, handle: (request) => putPayload(world, request) },
    { method: 'DELETE', template, handle: (request) => remove(world, request) },
    {
      method: 'GET',
      template: `${template}/payload`,
      handle(request) {
        const operation = 'Secret payload retrieval';
        const secret = findSecret(world, request);
        requireRight(request.access, 'decrypt', secret, operation);
        return sendPayload(request, secret, operation);
      },
    },
    ...['POST', 'PUT', 'PATCH', 'DELETE'].map(
      (method): Route => ({
        method,
        template: `${template}/payload`,
        handle(request) {
          requireRight(request.access, 'decrypt', findSecret(world, request), 'Secret payload retrieval');
          throw methodNotAllowed();
        },
      }),
    ),
  ];
}

function view(request: ApiRequest, secret: KeySecret): object {
  return viewSecret(request.serviceUrl, secret, { withConsumers: request.microversion >= 1 });
}

function list(world: World, request: ApiRequest): ApiResponse {
  requireListRole(request.access, 'Secret(s) retrieval');
  return page(request, {
    name: 'secrets',
    rows: listSecrets(world, request),
    view: (secret) => view(request, secret),
  });
}

const CREATE_OPERATION = 'Secret creation';

function create(world: World, request: ApiRequest): ApiResponse {
  const { access, serviceUrl } = request;
  requireCreateRole(access, CREATE_OPERATION);
  const fields = readJson(request, { name: 'Secret', schema: SecretForm });
  const nowMs = world.clock.now();
  const { expirationMs, payload } = checkSecret(fields, nowMs, 'Secret');
  requireKeyQuota(world, access.projectId, 'secrets', CREATE_OPERATION);
  // No secret store of this cloud supports transport keys.
  if (payload === null && fields.transport_key_needed === 'true') {
    throw refuse(500, `${CREATE_OPERATION} failure seen - please contact site administrator.`);
  }
  if (payload !== null && fields.transport_key_id !== undefined) {
    throw refuse(400, `${CREATE_OPERATION} issue seen - Provided transport key was not found..`);
  }
  const secret = world.tables.keySecrets.put({
    id: world.ids.uuid(),
    projectId: access.projectId,
    creatorId: access.userId,
    name: fields.name ?? null,
    createdMs: nowMs,
    updatedMs: nowMs,
    acl: null,
    secretType: fields.secret_type ?? 'opaque',
    expirationMs,
    algorithm: fields.algorithm ?? null,
    bitLength: fields.bit_length ?? null,
    mode: fields.mode ?? null,
    payload,
    metadata: {},
    consumers: [],
  });
  const secret_ref = secretRef(serviceUrl, secret.id);
  return { ...created({ secret_ref }), headers: { Location: secret_ref } };
}

function show(world: World, request: ApiRequest): ApiResponse {
  const secret = findSecret(world, request);
  const isMetadata = wantsMetadata(request);
  requireRight(request.access, isMetadata ? 'get' : 'decrypt', secret, 'Secret retrieval');
  return isMetadata ? ok(view(request, secret)) : sendPayload(request, secret, 'Secret retrieval');
}

function putPayload(world: World, request: ApiRequest): ApiResponse {
  const secret = findSecret(world, request);
  requireRight(request.access, 'put', secret, 'Secret update');
  const type = mediaType(request);
  if (type !== 'application/octet-stream' && type !== 'text/plain') {
    throw wrongMediaType(['application/octet-stream', 'text/plain']);
  }
  const payload = readPayload(request, type);
  if (secret.payload !== null) throw refuse(409, 'Secret already has data, cannot modify it.');
  world.tables.keySecrets.put({ ...secret, payload, updatedMs: world.clock.now() });
  return noContent;
}

function remove(world: World, request: ApiRequest): ApiResponse {
  const { tables } = world;
  const secret = findSecret(world, request);
  requireRight(request.access, 'delete', secret, 'Secret deletion');
  tables.keySecrets.delete(secret.id);
  for (const container of tables.keyContainers.where(({ secrets }) => secrets.some((s) => s.secretId === secret.id))) {
    tables.keyContainers.put({ ...container, secrets: container.secrets.filter((s) => s.secretId !== secret.id) });
  }
  return noContent;
}
