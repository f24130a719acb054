import { type ApiRequest, type ApiResponse, ok, type Route } from '../http/api.ts';
import { isAdmin } from '../identity/access.ts';
import type { World } from '../world.ts';
import { flag, sliceRows } from './list.ts';
import { badRequest, conflict, MALFORMED_BODY, notFound, requireAdmin, requireReaderRole } from './problem.ts';
import type { ShareType } from './records.ts';
import { RENAME_MICROVERSION, renamedRoute, shareRoute } from './route.ts';
import { ACCEPTED_RESPONSE } from './share-routes.ts';
import { CAPABILITIES, canSeeShareType, defaultShareType, lookUpShareType } from './share-types.ts';
import { checkSpecs, extraSpecRoutes } from './type-specs.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Share types with the capabilities that they require. Administrators create them and grant projects access. */
export function shareTypeRoutes(world: World): Route[] {
  const { shareTypes } = world.tables;
  return [
    shareRoute('GET', '/types', (request) => list(world, request)),
    shareRoute('GET', '/types/default', (request) => {
      const type = defaultShareType(world);
      if (type === undefined) throw notFound('Default share type not found');
      return response(world, request, type);
    }),
    shareRoute('POST', '/types', (request) => create(world, request)),
    shareRoute('GET', '/types/{id}', (request) => response(world, request, find(world, request))),
    shareRoute('PUT', '/types/{id}', (request) => update(world, request), { since: 50 }),
    shareRoute('DELETE', '/types/{id}', (request) => {
      requireAdmin(request.access);
      const type = shareTypes.get(request.params['id'] ?? '');
      if (type === undefined) throw notFound();
      if (world.tables.shares.find(({ typeId }) => typeId === type.id) !== undefined) {
        throw badRequest('Target share type is still in use.');
      }
      shareTypes.delete(type.id);
      return ACCEPTED_RESPONSE;
    }),
    ...renamedRoute('GET', ['/types/{id}/os-share-type-access', '/types/{id}/share_type_access'], (request) => {
      requireAdmin(request.access);
      const type = find(world, request);
      if (type.isPublic) throw notFound('Access list not available for public share types.');
      return ok({ share_type_access: type.projectIds.map((id) => ({ share_type_id: type.id, project_id: id })) });
    }),
    shareRoute('POST', '/types/{id}/action', (request) => changeAccess(world, request)),
    ...extraSpecRoutes(world),
  ];
}

function find(world: World, { access, params }: ApiRequest): ShareType {
  const type = lookUpShareType(world, access, params['id'] ?? '');
  if (type === undefined) throw notFound('Share type not found.');
  requireReaderRole(access);
  return type;
}

/** The view of a type, with the fields of the microversion. Users see only the specs that affect their own choices. */
function view(world: World, { access, microversion }: ApiRequest, type: ShareType): object {
  const { id, name, description, isPublic, extraSpecs } = type;
  const visible = ['driver_handles_share_servers', ...CAPABILITIES, 'availability_zones', 'replication_type'];
  const specs = isAdmin(access)
    ? extraSpecs
    : {
        ...Object.fromEntries(Object.entries(extraSpecs).filter(([key]) => visible.includes(key))),
        ...(microversion >= 24 && inferredSpecs(extraSpecs)),
      };
  return {
    id,
    name,
    extra_specs: specs,
    required_extra_specs: { driver_handles_share_servers: extraSpecs['driver_handles_share_servers'] },
    [microversion < RENAME_MICROVERSION ? 'os-share-type-access:is_public' : 'share_type_access:is_public']: isPublic,
    ...(microversion >= 41 && { description }),
    ...(microversion >= 46 && { is_default: defaultShareType(world)?.id === id }),
  };
}

function inferredSpecs(specs: ShareType['extraSpecs']): Record<string, boolean> {
  return Object.fromEntries(CAPABILITIES.filter((name) => !(name in specs)).map((name) => [name, false]));
}

/** The response contains the type under its older name too. */
function response(world: World, request: ApiRequest, type: ShareType): ApiResponse {
  const body = view(world, request, type);
  return ok({ volume_type: body, share_type: body });
}

function list(world: World, request: ApiRequest): ApiResponse {
  const { access, query } = request;
  requireReaderRole(access);
  const requested = isAdmin(access) ? (query.get('is_public') ?? 'true') : 'seen';
  const rows = world.tables.shareTypes.where((type) => {
    if (requested === 'seen') return canSeeShareType(access, type);
    return /^(all|none)$/i.test(requested) || type.isPublic === flag(requested);
  });
  const types = sliceRows(request, rows).map((type) => view(world, request, type));
  return ok({ volume_types: types, share_types: types });
}

function fieldsOf(body: unknown): Fields {
  const object = body as Fields | null | undefined;
  const fields = object?.['share_type'] ?? object?.['volume_type'];
  if (typeof fields !== 'object' || fields === null) throw badRequest(MALFORMED_BODY);
  return fields as Fields;
}

function isNamed(world: World, name: string, exceptId = ''): boolean {
  return world.tables.shareTypes.find((type) => type.name === name && type.id !== exceptId) !== undefined;
}

/** Zed does not fill in the placeholder. */
function exists(): Error {
  return conflict('Share Type %(id)s already exists.');
}

function create(world: World, request: ApiRequest): ApiResponse {
  requireAdmin(request.access);
  const fields = fieldsOf(request.body);
  const { name, description } = fields;
  if (typeof name !== 'string' || name.trim() === '' || name.length > 255) {
    throw badRequest('Type name or description is not valid.');
  }
  const extraSpecs = checkSpecs(fields['extra_specs'], { isNew: true });
  const isPublic = fields['share_type_access:is_public'] ?? fields['os-share-type-access:is_public'] ?? true;
  if (isNamed(world, name)) throw exists();
  const type = world.tables.shareTypes.put({
    id: world.ids.uuid(),
    name,
    description: typeof description === 'string' && description !== '' ? description : null,
    isPublic: flag(isPublic),
    extraSpecs,
    projectIds: [],
  });
  return response(world, request, type);
}

function update(world: World, request: ApiRequest): ApiResponse {
  requireAdmin(request.access);
  const { name, description, 'share_type_access:is_public': isPublic } = fieldsOf(request.body);
  if (name === undefined && description === undefined && isPublic === undefined) {
    throw badRequest('Specify share type name, description, share_type_access:is_public or a combination thereof.');
  }
  const before = find(world, request);
  if (typeof name === 'string' && isNamed(world, name, before.id)) throw exists();
  const type = world.tables.shareTypes.put({
    ...before,
    name: typeof name === 'string' && name !== '' ? name : before.name,
    description: typeof description === 'string' ? description || null : before.description,
    isPublic: isPublic === undefined ? before.isPublic : flag(isPublic),
  });
  return response(world, request, type);
}

function changeAccess(world: World, request: ApiRequest): ApiResponse {
  requireAdmin(request.access);
  const [[name, args] = ['', undefined]] = Object.entries((request.body ?? {}) as Fields);
  const project = (args as Fields | null | undefined)?.['project'];
  if (name !== 'addProjectAccess' && name !== 'removeProjectAccess') {
    throw badRequest(`There is no such action: ${name}`);
  }
  if (typeof project !== 'string') throw badRequest(MALFORMED_BODY);
  const type = find(world, request);
  const isKnown = type.projectIds.includes(project);
  const isAdded = name === 'addProjectAccess';
  if (type.isPublic) throw conflict('Project access cannot be changed for public share types.');
  if (isAdded && isKnown)
    throw conflict('Share type access for %(share_type_id)s / %(project_id)s combination already exists.');
  if (!isAdded && !isKnown)
    throw notFound('Share type access not found for %(share_type_id)s / %(project_id)s combination.');
  const others = type.projectIds.filter((id) => id !== project);
  world.tables.shareTypes.put({ ...type, projectIds: isAdded ? [...others, project] : others });
  return ACCEPTED_RESPONSE;
}
