import { z } from 'zod';
import { type ApiRequest, type ApiResponse, noContent, ok, type Route } from '../http/api.ts';
import { parseBody } from '../http/parse-body.ts';
import type { World } from '../world.ts';
import { badRequest, forbidden, notFound, requireReaderRole } from './problem.ts';
import type { Server } from './records.ts';
import { computeLimits } from './server-quota.ts';
import { findForChange, findServer } from './server-routes.ts';
import { Metadata, Tag } from './server-schema.ts';

const MAX_TAGS = 50;

/** Tags (since 2.26) and metadata of servers. */
export function serverLabelRoutes(world: World): Route[] {
  const tags = '/v2.1/servers/{id}/tags';
  const metadata = '/v2.1/servers/{id}/metadata';
  return [
    { method: 'GET', template: tags, since: 26, handle: (request) => ok({ tags: seen(world, request).tags }) },
    { method: 'PUT', template: tags, since: 26, handle: (request) => replaceTags(world, request) },
    {
      method: 'DELETE',
      template: tags,
      since: 26,
      handle: (request) => {
        storeTags(world, findForChange(world, request, 'os-server-tags:delete_all'), []);
        return noContent;
      },
    },
    { method: 'GET', template: `${tags}/{tag}`, since: 26, handle: (request) => checkTag(world, request) },
    { method: 'PUT', template: `${tags}/{tag}`, since: 26, handle: (request) => addTag(world, request) },
    { method: 'DELETE', template: `${tags}/{tag}`, since: 26, handle: (request) => removeTag(world, request) },
    { method: 'GET', template: metadata, handle: (request) => ok({ metadata: seen(world, request).metadata }) },
    { method: 'POST', template: metadata, handle: (request) => changeMetadata(world, request, true) },
    { method: 'PUT', template: metadata, handle: (request) => changeMetadata(world, request, false) },
    { method: 'GET', template: `${metadata}/{key}`, handle: (request) => showItem(world, request) },
    { method: 'PUT', template: `${metadata}/{key}`, handle: (request) => putItem(world, request) },
    { method: 'DELETE', template: `${metadata}/{key}`, handle: (request) => removeItem(world, request) },
  ];
}

function seen(world: World, request: ApiRequest): Server {
  requireReaderRole(request.access, 'servers:show');
  return findServer(world, request);
}

function storeTags(world: World, server: Server, tags: readonly string[]): readonly string[] {
  if (tags.length > MAX_TAGS) throw badRequest(`The number of tags exceeded the per-server limit ${MAX_TAGS}`);
  const sorted = [...new Set(tags)].sort();
  world.tables.servers.put({ ...server, tags: sorted, updatedMs: world.clock.now() });
  return sorted;
}

function replaceTags(world: World, request: ApiRequest): ApiResponse {
  const server = findForChange(world, request, 'os-server-tags:update_all');
  const { tags } = parseBody(z.strictObject({ tags: z.array(Tag).max(MAX_TAGS) }), request.body);
  return ok({ tags: storeTags(world, server, tags) });
}

function checkTag(world: World, request: ApiRequest): ApiResponse {
  const server = seen(world, request);
  requireTag(server, request.params['tag'] ?? '');
  return noContent;
}

function requireTag(server: Server, tag: string): void {
  if (!server.tags.includes(tag)) throw notFound(`Instance ${server.id} has no tag '${tag}'`);
}

function addTag(world: World, request: ApiRequest): ApiResponse {
  const server = findForChange(world, request, 'os-server-tags:update');
  const parsed = Tag.safeParse(request.params['tag']);
  if (!parsed.success)
    throw badRequest(
      `Tag '${request.params['tag']}' is invalid. It must be a non empty string without characters '/' and ',' of at most 60 characters.`,
    );
  if (server.tags.includes(parsed.data)) return noContent;
  storeTags(world, server, [...server.tags, parsed.data]);
  return { status: 201, headers: { Location: `${request.origin}${request.path}` } };
}

function removeTag(world: World, request: ApiRequest): ApiResponse {
  const server = findForChange(world, request, 'os-server-tags:delete');
  const tag = request.params['tag'] ?? '';
  requireTag(server, tag);
  storeTags(
    world,
    server,
    server.tags.filter((other) => other !== tag),
  );
  return noContent;
}

function storeMetadata(world: World, server: Server, metadata: Readonly<Record<string, string>>): void {
  const limit = computeLimits(world, server.projectId)['metadata_items'] ?? -1;
  if (limit >= 0 && Object.keys(metadata).length > limit) {
    throw forbidden(`Maximum number of metadata items exceeds ${limit}`);
  }
  world.tables.servers.put({ ...server, metadata, updatedMs: world.clock.now() });
}

function changeMetadata(world: World, request: ApiRequest, isMerge: boolean): ApiResponse {
  const server = findForChange(world, request, `server-metadata:${isMerge ? 'create' : 'update_all'}`);
  const { metadata } = parseBody(z.strictObject({ metadata: Metadata }), request.body);
  const after = isMerge ? { ...server.metadata, ...metadata } : metadata;
  storeMetadata(world, server, after);
  return ok({ metadata: after });
}

function showItem(world: World, request: ApiRequest): ApiResponse {
  const key = request.params['key'] ?? '';
  const value = seen(world, request).metadata[key];
  if (value === undefined) throw notFound('Metadata item was not found');
  return ok({ meta: { [key]: value } });
}

function putItem(world: World, request: ApiRequest): ApiResponse {
  const server = findForChange(world, request, 'server-metadata:update');
  const key = request.params['key'] ?? '';
  const { meta } = parseBody(z.strictObject({ meta: Metadata }), request.body);
  if (Object.keys(meta).length !== 1 || meta[key] === undefined) throw badRequest('Request body and URI mismatch');
  storeMetadata(world, server, { ...server.metadata, ...meta });
  return ok({ meta });
}

function removeItem(world: World, request: ApiRequest): ApiResponse {
  const server = findForChange(world, request, 'server-metadata:delete');
  const key = request.params['key'] ?? '';
  if (server.metadata[key] === undefined) throw notFound('Metadata item was not found');
  storeMetadata(world, server, Object.fromEntries(Object.entries(server.metadata).filter(([other]) => other !== key)));
  return noContent;
}
