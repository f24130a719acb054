import { z } from 'zod';
import { type ApiRequest, type ApiResponse, accepted, ok, type Route } from '../http/api.ts';
import { parseBody } from '../http/parse-body.ts';
import { isAdmin } from '../identity/access.ts';
import type { World } from '../world.ts';
import { badRequest, conflict, notFound, requireAdmin, requireReaderRole } from './problem.ts';
import type { VolumeType } from './records.ts';
import { type Listing, page } from './volume-list.ts';
import { volumeRoute } from './volume-route.ts';
import { Flag, isSet } from './volume-schema.ts';
import { canSeeType, defaultType } from './volume-types.ts';

/** Extra specs that are visible to users; others are visible only to the operator. */
const VISIBLE_SPECS: ReadonlySet<string> = new Set(['RESKEY:availability_zones', 'multiattach', 'replication_enabled']);

const Specs = z.record(z.string().regex(/^[a-zA-Z0-9\-_:.]{1,255}$/), z.string().max(255));
const Create = z.strictObject({
  volume_type: z.strictObject({
    name: z.string().trim().min(1).max(255),
    description: z.string().max(255).nullish(),
    extra_specs: Specs.nullish(),
    'os-volume-type-access:is_public': Flag.optional(),
  }),
});
const Update = z.strictObject({
  volume_type: z.strictObject({
    name: z.string().max(255).nullish(),
    description: z.string().max(255).nullish(),
    is_public: Flag.nullish(),
  }),
});

/** Volume types. Administrators create them, set their extra specs, and grant projects access to private types. */
export function volumeTypeRoutes(world: World): Route[] {
  const { volumeTypes } = world.tables;
  const find = (request: ApiRequest): VolumeType => findType(world, request);
  const findForChange = (request: ApiRequest, rule: string): VolumeType => {
    requireAdmin(request.access, rule);
    return findType(world, request);
  };
  const MANAGE_RULE = 'volume_extension:types_extra_specs';
  return [
    ...volumeRoute('GET', '/types', (request) => list(world, request)),
    ...volumeRoute('POST', '/types', (request) => create(world, request)),
    ...volumeRoute('GET', '/types/{id}', (request) => {
      const type = request.params['id'] === 'default' ? defaultType(world) : find(request);
      return ok({ volume_type: view(request, type) });
    }),
    ...volumeRoute('PUT', '/types/{id}', (request) => update(world, request)),
    ...volumeRoute('DELETE', '/types/{id}', (request) => {
      remove(world, findForChange(request, 'volume_extension:type_delete'));
      return accepted;
    }),
    ...volumeRoute('GET', '/types/{id}/extra_specs', (request) =>
      ok({ extra_specs: visibleSpecs(request, find(request)) }),
    ),
    ...volumeRoute('POST', '/types/{id}/extra_specs', (request) => {
      const type = findForChange(request, `${MANAGE_RULE}:create`);
      refuseTypeInUse(world, type, 'Volume Type is currently in use.');
      const body = parseBody(z.strictObject({ extra_specs: Specs }), request.body);
      volumeTypes.put({ ...type, extraSpecs: { ...type.extraSpecs, ...body.extra_specs } });
      return ok(body);
    }),
    ...volumeRoute('GET', '/types/{id}/extra_specs/{key}', (request) => {
      const [type, key] = [find(request), request.params['key'] ?? ''];
      return ok({ [key]: specOf(visibleSpecs(request, type), type, key) });
    }),
    ...volumeRoute('DELETE', '/types/{id}/extra_specs/{key}', (request) => {
      const [type, key] = [findForChange(request, `${MANAGE_RULE}:delete`), request.params['key'] ?? ''];
      refuseTypeInUse(world, type, 'Volume Type is currently in use.');
      specOf(type.extraSpecs, type, key);
      const left = Object.entries(type.extraSpecs).filter(([other]) => other !== key);
      volumeTypes.put({ ...type, extraSpecs: Object.fromEntries(left) });
      return accepted;
    }),
    ...volumeRoute('GET', '/types/{id}/encryption', (request) => {
      const { id, encryption } = findForChange(request, 'volume_extension:volume_type_encryption:get');
      return ok(
        encryption === null
          ? {}
          : {
              volume_type_id: id,
              encryption_id: encryption.id,
              provider: encryption.provider,
              cipher: encryption.cipher,
              key_size: encryption.keySize,
              control_location: encryption.controlLocation,
            },
      );
    }),
    ...volumeRoute('GET', '/types/{id}/os-volume-type-access', (request) => {
      const type = findForChange(request, 'volume_extension:volume_type_access:get_all_for_type');
      if (type.isPublic) throw notFound('Access list not available for public volume types.');
      return ok({
        volume_type_access: type.projectIds.map((projectId) => ({ volume_type_id: type.id, project_id: projectId })),
      });
    }),
    ...volumeRoute('POST', '/types/{id}/action', (request) => changeAccess(world, request)),
  ];
}

function findType(world: World, { access, params }: ApiRequest): VolumeType {
  requireReaderRole(access, 'volume_extension:type_get');
  const id = params['id'] ?? '';
  const type = world.tables.volumeTypes.get(id);
  if (type === undefined || !canSeeType(access, type)) throw notFound(`Volume type ${id} could not be found.`);
  return type;
}

function visibleSpecs({ access }: ApiRequest, { extraSpecs }: VolumeType): Readonly<Record<string, string>> {
  if (isAdmin(access)) return extraSpecs;
  return Object.fromEntries(Object.entries(extraSpecs).filter(([key]) => VISIBLE_SPECS.has(key)));
}

function specOf(specs: Readonly<Record<string, string>>, { id }: VolumeType, key: string): string {
  const value = specs[key];
  if (value === undefined) throw notFound(`Volume Type ${id} has no extra specs with key ${key}.`);
  return value;
}

function view(request: ApiRequest, type: VolumeType): object {
  return {
    id: type.id,
    name: type.name,
    is_public: type.isPublic,
    description: type.description,
    extra_specs: visibleSpecs(request, type),
    ...(isAdmin(request.access) ? { qos_specs_id: null } : {}),
    'os-volume-type-access:is_public': type.isPublic,
  };
}

const SORT_KEYS: Listing<VolumeType>['sortKeys'] = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  is_public: ({ isPublic }) => String(isPublic),
  // Rows are already in order of creation.
  created_at: () => 0,
};

function list(world: World, request: ApiRequest): ApiResponse {
  const { access, query } = request;
  requireReaderRole(access, 'volume_extension:type_get_all');
  const requested = query.get('is_public');
  const isSeen = (type: VolumeType): boolean => {
    if (!isAdmin(access)) return canSeeType(access, type);
    if (requested?.toLowerCase() === 'none') return true;
    return type.isPublic === (requested === null || /^(1|t|true|on|y|yes)$/i.test(requested));
  };
  return page(request, {
    name: 'volume_types',
    path: 'types',
    rows: [...world.tables.volumeTypes.values()].filter(isSeen),
    projectOf: () => access.projectId,
    idOf: ({ id }) => id,
    filters: { is_public: () => requested ?? '', extra_specs: ({ extraSpecs }) => extraSpecs },
    sortKeys: SORT_KEYS,
    view: (type) => view(request, type),
  });
}

function requireFreeName(world: World, name: string, id?: string): void {
  const other = world.tables.volumeTypes.find((type) => type.name === name && type.id !== id);
  if (other !== undefined) throw conflict(`Volume Type ${name} already exists.`);
}

function create(world: World, request: ApiRequest): ApiResponse {
  requireAdmin(request.access, 'volume_extension:type_create');
  const { volume_type: body } = parseBody(Create, request.body);
  requireFreeName(world, body.name);
  const type = world.tables.volumeTypes.put({
    id: world.ids.uuid(),
    name: body.name,
    description: body.description ?? null,
    isPublic: isSet(body['os-volume-type-access:is_public'] ?? true),
    extraSpecs: body.extra_specs ?? {},
    projectIds: [],
    encryption: null,
  });
  return ok({ volume_type: view(request, type) });
}

function update(world: World, request: ApiRequest): ApiResponse {
  requireAdmin(request.access, 'volume_extension:type_update');
  const before = findType(world, request);
  const { volume_type: body } = parseBody(Update, request.body);
  if (body.name != null && body.name.trim() === '') throw badRequest('Volume type name can not be empty.');
  if (body.name == null && body.description == null && body.is_public == null) {
    throw badRequest('Specify volume type name, description, is_public or a combination thereof.');
  }
  if (body.name != null) requireFreeName(world, body.name.trim(), before.id);
  const type = world.tables.volumeTypes.put({
    ...before,
    name: body.name?.trim() ?? before.name,
    description: body.description ?? before.description,
    isPublic: body.is_public == null ? before.isPublic : isSet(body.is_public),
  });
  return ok({ volume_type: view(request, type) });
}

function refuseTypeInUse(world: World, { id }: VolumeType, message: string): void {
  if (world.tables.volumes.find(({ typeId }) => typeId === id) !== undefined) throw badRequest(message);
}

function remove(world: World, type: VolumeType): void {
  refuseTypeInUse(world, type, 'Target volume type is still in use.');
  if (type.id === defaultType(world).id) {
    throw badRequest(`The volume type ${type.id} is a default volume type and cannot be deleted.`);
  }
  world.tables.volumeTypes.delete(type.id);
}

const Access = z.strictObject({ project: z.string().min(1).max(255) });

function changeAccess(world: World, request: ApiRequest): ApiResponse {
  const body = request.body as Readonly<Record<string, unknown>> | undefined;
  const [name = ''] = typeof body === 'object' && body !== null ? Object.keys(body) : [];
  if (name !== 'addProjectAccess' && name !== 'removeProjectAccess') {
    throw badRequest(
      `There is no such action: ${name}. Verify the request body and Content-Type header and try again.`,
    );
  }
  requireAdmin(request.access, `volume_extension:volume_type_access:${name}`);
  const type = findType(world, request);
  const { project } = parseBody(Access, body?.[name]);
  const hasAccess = type.projectIds.includes(project);
  if (type.isPublic) {
    throw badRequest('Invalid volume type: Type access modification is not applicable to public volume type.');
  }
  if (name === 'addProjectAccess' && hasAccess) {
    throw conflict(`Volume type access for ${type.id} / ${project} combination already exists.`);
  }
  if (name === 'removeProjectAccess' && !hasAccess) {
    throw notFound(`Volume type access not found for ${type.id} / ${project} combination.`);
  }
  const others = type.projectIds.filter((id) => id !== project);
  world.tables.volumeTypes.put({ ...type, projectIds: name === 'addProjectAccess' ? [...others, project] : others });
  return accepted;
}
