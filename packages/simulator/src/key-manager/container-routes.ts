import { type ApiRequest, type ApiResponse, created, noContent, ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { readAnyJson, readJson } from './body.ts';
import { ContainerForm, ContainerSecretForm, checkContainer } from './container-form.ts';
import { matchesLikePattern, page } from './list.ts';
import { findContainer, idOf, secretOfProject } from './lookup.ts';
import { requireCreateRole, requireListRole, requireRight } from './policy.ts';
import { methodNotAllowed, notFound, refuse } from './problem.ts';
import { requireKeyQuota } from './quota.ts';
import type { KeyContainer } from './records.ts';
import { containerRef, viewContainer } from './views.ts';

export function containerRoutes(world: World): Route[] {
  const template = '/v1/containers/{id}';
  return [
    { method: 'GET', template: '/v1/containers', handle: (request) => list(world, request) },
    { method: 'POST', template: '/v1/containers', handle: (request) => create(world, request) },
    {
      method: 'GET',
      template,
      handle(request) {
        const container = findContainer(world, request);
        requireRight(request.access, 'get', container, 'Container retrieval', 'container');
        return ok(viewContainer(request.serviceUrl, container));
      },
    },
    { method: 'DELETE', template, handle: (request) => remove(world, request) },
    ...['POST', 'PUT', 'PATCH'].map(
      (method): Route => ({
        method,
        template,
        handle(request) {
          findContainer(world, request);
          throw methodNotAllowed();
        },
      }),
    ),
    { method: 'POST', template: `${template}/secrets`, handle: (request) => addSecret(world, request) },
    { method: 'DELETE', template: `${template}/secrets`, handle: (request) => removeSecret(world, request) },
  ];
}

function list({ tables }: World, request: ApiRequest): ApiResponse {
  const { access, query, serviceUrl } = request;
  requireListRole(access, 'Containers(s) retrieval');
  const [name, type] = [query.get('name') || undefined, query.get('type') || undefined];
  const rows = tables.keyContainers.where(
    (container) =>
      container.projectId === access.projectId &&
      (name === undefined || matchesLikePattern(container.name, name)) &&
      (type === undefined || container.type === type),
  );
  return page(request, { name: 'containers', rows, view: (container) => viewContainer(serviceUrl, container) });
}

function create(world: World, request: ApiRequest): ApiResponse {
  const { access, serviceUrl } = request;
  requireCreateRole(access, 'Container creation');
  const form = readJson(request, { name: 'Container', schema: ContainerForm });
  checkContainer(form, serviceUrl);
  requireKeyQuota(world, access.projectId, 'containers', 'Container creation');
  const secrets = (form.secret_refs ?? []).map(({ name = null, secret_ref }) => {
    if (secretOfProject(world, secret_ref, access.projectId) === undefined) {
      throw notFound(`Secret provided for '${name ?? 'None'}' doesn't exist.`);
    }
    return { name, secretId: idOf(secret_ref) };
  });
  const nowMs = world.clock.now();
  const { id } = world.tables.keyContainers.put({
    id: world.ids.uuid(),
    projectId: access.projectId,
    creatorId: access.userId,
    name: form.name ?? null,
    createdMs: nowMs,
    updatedMs: nowMs,
    acl: null,
    type: form.type,
    secrets,
    consumers: [],
  });
  return refResponse(serviceUrl, id);
}

function refResponse(root: string, id: string): ApiResponse {
  const container_ref = containerRef(root, id);
  return { ...created({ container_ref }), headers: { Location: container_ref } };
}

function remove(world: World, request: ApiRequest): ApiResponse {
  const { access } = request;
  const container = findContainer(world, request);
  requireRight(access, 'delete', container, 'Container deletion', 'container');
  world.tables.keyContainers.delete(container.id);
  return noContent;
}

function addSecret(world: World, request: ApiRequest): ApiResponse {
  const { access, serviceUrl } = request;
  const container = findContainer(world, request);
  requireRight(access, 'change', container, 'Container Secret creation', 'container');
  if (container.type !== 'generic') throw refuse(400, "Only 'generic' containers can be modified.");
  const { name = null, secret_ref } = readJson(request, { name: 'ContainerSecret', schema: ContainerSecretForm });
  if (secretOfProject(world, secret_ref, access.projectId) === undefined) {
    throw notFound("Secret provided doesn't exist.");
  }
  const added = { name, secretId: idOf(secret_ref) };
  if (container.secrets.some((secret) => isSame(secret, added))) {
    throw refuse(
      409,
      'Conflict. A secret with that name and ID is already stored in this container. The same secret can exist in a container as long as the name is unique.',
    );
  }
  world.tables.keyContainers.put({ ...container, secrets: [...container.secrets, added] });
  return refResponse(serviceUrl, container.id);
}

function removeSecret(world: World, request: ApiRequest): ApiResponse {
  const { access } = request;
  const container = findContainer(world, request);
  requireRight(access, 'change', container, 'Container Secret deletion', 'container');
  const form = { name: 'ContainerSecret', schema: ContainerSecretForm };
  const { name, secret_ref } = readAnyJson(request, form);
  if (secretOfProject(world, secret_ref, access.projectId) === undefined) {
    throw notFound(`Secret '${name ?? 'None'}' with reference '${secret_ref}' doesn't exist.`);
  }
  const removed = { name: name ?? null, secretId: idOf(secret_ref) };
  const secrets = container.secrets.filter((secret) => !isSame(secret, removed));
  if (secrets.length === container.secrets.length) throw notFound('Secret provided is not in the container');
  world.tables.keyContainers.put({ ...container, secrets });
  return noContent;
}

type ContainerSecret = KeyContainer['secrets'][number];

function isSame(a: ContainerSecret, b: ContainerSecret): boolean {
  return a.secretId === b.secretId && a.name === b.name;
}
