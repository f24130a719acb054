import type { z } from 'zod';
import { ApiError, type ApiRequest, type ApiResponse, created, noContent, ok, type Route } from '../http/api.ts';
import { type Access, canWrite, isAdmin } from '../identity/access.ts';
import type { Table } from '../state/table.ts';
import type { World } from '../world.ts';
import { parseAttributes } from './parse.ts';
import { badRequest, disallowed } from './problem.ts';
import { listResponse, pick } from './query.ts';
import { requireQuota } from './quota.ts';
import type { Resource } from './records.ts';
import { networkTime } from './stamp.ts';

/** The specifics of one resource of the network API. The rest is common to all resources. */
export interface ResourceKind<R extends Resource, C extends z.ZodObject, U extends z.ZodObject> {
  /** Name in the body, the policy and the quota: `security_group`. */
  readonly singular: string;
  /** Name in the body of a list: `security_groups`. */
  readonly plural: string;
  /** Name in the path: `security-groups`. */
  readonly path: string;
  readonly table: Table<R>;
  readonly createSchema: C;
  readonly updateSchema: U;
  /** Attributes that only administrators may set; only administrators see those in `hiddenAttributes`. */
  readonly adminAttributes: readonly string[];
  readonly hiddenAttributes: readonly string[];
  readonly missing: (id: string) => ApiError;
  /** Whether the object is visible to the caller's project even though another project owns it. */
  readonly isSharedWith: (access: Access, row: R) => boolean;
  readonly create: (access: Access, projectId: string, attributes: z.infer<C>) => R;
  readonly update: (access: Access, row: R, attributes: z.infer<U>) => R;
  readonly remove: (access: Access, row: R) => void;
  /** Fields that are computed when an object is read. */
  readonly derive: (row: R, access: Access) => object;
  /** Fields that lists can be filtered by, although they are not in the view. */
  readonly extraFilters?: readonly string[];
  /** Runs before a list is read, for example to create default objects. */
  readonly prepare?: (access: Access) => void;
}

export function viewOf<R extends Resource, C extends z.ZodObject, U extends z.ZodObject>(
  kind: ResourceKind<R, C, U>,
  access: Access,
  row: R,
): Record<string, unknown> {
  const view: Record<string, unknown> = {
    ...(row as Resource),
    tenant_id: row.project_id,
    ...kind.derive(row, access),
  };
  delete view['isServersOwn'];
  if (!isAdmin(access)) for (const name of kind.hiddenAttributes) delete view[name];
  return view;
}

export function isVisible<R extends Resource, C extends z.ZodObject, U extends z.ZodObject>(
  kind: ResourceKind<R, C, U>,
  access: Access,
  row: R,
): boolean {
  if (isAdmin(access)) return true;
  if (access.roles.length === 0) return false;
  return row.project_id === access.projectId || kind.isSharedWith(access, row);
}

/** The object; throws 404 if it does not exist for the caller. */
export function findVisible<R extends Resource, C extends z.ZodObject, U extends z.ZodObject>(
  kind: ResourceKind<R, C, U>,
  access: Access,
  id: string,
): R {
  const row = kind.table.get(id);
  if (row === undefined || !isVisible(kind, access, row)) throw kind.missing(id);
  return row;
}

/**
 * The object; throws 404 if it is not visible to the caller, and 403 if the policy rule does not allow the operation.
 */
export function findOwn<R extends Resource, C extends z.ZodObject, U extends z.ZodObject>(
  kind: ResourceKind<R, C, U>,
  access: Access,
  id: string,
  rule: string,
): R {
  const row = findVisible(kind, access, id);
  const isOwner = row.project_id === access.projectId;
  if (!canWrite(access) || !(isOwner || isAdmin(access))) throw disallowed(rule);
  return row;
}

export function resourceRoutes<R extends Resource, C extends z.ZodObject, U extends z.ZodObject>(
  world: World,
  kind: ResourceKind<R, C, U>,
): Route[] {
  const collection = `/v2.0/${kind.path}`;
  return [
    { method: 'GET', template: collection, handle: (request) => list(kind, request) },
    { method: 'POST', template: collection, handle: (request) => create(world, kind, request) },
    { method: 'GET', template: `${collection}/{id}`, handle: (request) => show(kind, request) },
    { method: 'PUT', template: `${collection}/{id}`, handle: (request) => update(world, kind, request) },
    { method: 'DELETE', template: `${collection}/{id}`, handle: (request) => remove(kind, request) },
  ];
}

function list<R extends Resource, C extends z.ZodObject, U extends z.ZodObject>(
  kind: ResourceKind<R, C, U>,
  request: ApiRequest,
): ApiResponse {
  const { access } = request;
  kind.prepare?.(access);
  const rows = kind.table.where((row) => isVisible(kind, access, row));
  const known = new Set([
    ...Object.keys(kind.createSchema.shape),
    ...(rows[0] === undefined ? [] : Object.keys(viewOf(kind, access, rows[0]))),
    ...STANDARD_FILTERS,
    ...(kind.extraFilters ?? []),
  ]);
  return ok(
    listResponse(
      request,
      kind.plural,
      rows.map((row) => viewOf(kind, access, row)),
      known,
      kind.missing,
    ),
  );
}

const STANDARD_FILTERS = [
  'id',
  'name',
  'project_id',
  'tenant_id',
  'status',
  'description',
  'revision_number',
  'shared',
  'created_at',
  'updated_at',
  'changed_since',
];

function show<R extends Resource, C extends z.ZodObject, U extends z.ZodObject>(
  kind: ResourceKind<R, C, U>,
  { access, params, query }: ApiRequest,
): ApiResponse {
  const view = viewOf(kind, access, findVisible(kind, access, params['id'] ?? ''));
  const fields = query.getAll('fields');
  return ok({ [kind.singular]: fields.length === 0 ? view : pick(view, fields) });
}

function bodyOf(request: ApiRequest): Readonly<Record<string, unknown>> {
  const { body } = request;
  if (typeof body !== 'object' || body === null) throw badRequest('Body contains invalid data');
  return body as Readonly<Record<string, unknown>>;
}

function create<R extends Resource, C extends z.ZodObject, U extends z.ZodObject>(
  world: World,
  kind: ResourceKind<R, C, U>,
  request: ApiRequest,
): ApiResponse {
  const { access } = request;
  const body = bodyOf(request);
  const many = body[kind.plural];
  const isBulk = Array.isArray(many);
  const items: readonly unknown[] = isBulk ? many : [body[kind.singular]];
  if (items.length === 0) throw badRequest('Resources required');
  kind.prepare?.(access);
  const parsed = items.map((item) => {
    if (typeof item !== 'object' || item === null)
      throw badRequest(`Unable to find '${kind.singular}' in request body`);
    return parseOne(kind, access, item);
  });
  for (const { projectId } of parsed) requireQuota(world, kind.singular, kind.table, projectId, parsed.length);
  const rows = parsed.map(({ projectId, attributes }) => kind.table.put(kind.create(access, projectId, attributes)));
  const views = rows.map((row) => viewOf(kind, access, kind.table.get(row.id) ?? row));
  return created(isBulk ? { [kind.plural]: views } : { [kind.singular]: views[0] });
}

function parseOne<R extends Resource, C extends z.ZodObject, U extends z.ZodObject>(
  kind: ResourceKind<R, C, U>,
  access: Access,
  item: object,
): { readonly projectId: string; readonly attributes: z.infer<C> } {
  const attributes = parseAttributes(kind.createSchema, item);
  requireAttributes(kind, access, item, 'create');
  const fields = item as Readonly<Record<string, unknown>>;
  const requested = fields['project_id'] ?? fields['tenant_id'] ?? access.projectId;
  if (typeof requested !== 'string') throw badRequest('Invalid input for project_id. Reason: not a valid string.');
  if (requested === '') throw badRequest('Running without keystone AuthN requires that tenant_id is specified');
  if (requested !== access.projectId && !isAdmin(access)) {
    throw badRequest(
      "Specifying 'project_id' or 'tenant_id' other than the authenticated project in request requires admin privileges",
    );
  }
  return { projectId: requested, attributes };
}

/** Enforces the policy: the caller must be a writer, and an administrator for some attributes. */
function requireAttributes<R extends Resource, C extends z.ZodObject, U extends z.ZodObject>(
  kind: ResourceKind<R, C, U>,
  access: Access,
  item: object,
  verb: 'create' | 'update',
): void {
  const rule = `${verb}_${kind.singular}`;
  if (!canWrite(access)) throw disallowed(rule);
  if (isAdmin(access)) return;
  const fields = item as Readonly<Record<string, unknown>>;
  const reserved = kind.adminAttributes.find((name) => fields[name] !== undefined && fields[name] !== false);
  if (reserved === undefined) return;
  throw new ApiError(403, `(rule:${rule} and rule:${rule}:${reserved}) is disallowed by policy`, {
    type: 'PolicyNotAuthorized',
  });
}

function update<R extends Resource, C extends z.ZodObject, U extends z.ZodObject>(
  world: World,
  kind: ResourceKind<R, C, U>,
  request: ApiRequest,
): ApiResponse {
  const { access, params } = request;
  const id = params['id'] ?? '';
  const item = bodyOf(request)[kind.singular];
  if (typeof item !== 'object' || item === null) throw badRequest(`Unable to find '${kind.singular}' in request body`);
  findVisible(kind, access, id);
  const readOnly = [
    ...Object.keys(kind.createSchema.shape),
    'id',
    'status',
    'created_at',
    'updated_at',
    'revision_number',
    'tags',
  ];
  const attributes = parseAttributes(kind.updateSchema, item, { readOnly });
  const before = findOwn(kind, access, id, `update_${kind.singular}`);
  requireAttributes(kind, access, item, 'update');
  requireRevision(request, before);
  const after = kind.update(access, before, attributes);
  const row = kind.table.put({ ...after, revision_number: before.revision_number + 1, updated_at: networkTime(world) });
  return ok({ [kind.singular]: viewOf(kind, access, row) });
}

function requireRevision({ headers }: ApiRequest, { revision_number: current }: Resource): void {
  const condition = headers['if-match'];
  if (condition === undefined) return;
  const requested = /^revision_number=(\d+)$/.exec(condition)?.[1];
  if (requested === undefined) throw badRequest(`Cannot parse revision constraint: ${condition}`);
  if (Number(requested) === current) return;
  throw new ApiError(412, `Constrained to ${requested}, but current revision is ${current}`, {
    type: 'RevisionNumberConstraintFailed',
  });
}

function remove<R extends Resource, C extends z.ZodObject, U extends z.ZodObject>(
  kind: ResourceKind<R, C, U>,
  request: ApiRequest,
): ApiResponse {
  const { access, params } = request;
  const row = findOwn(kind, access, params['id'] ?? '', `delete_${kind.singular}`);
  requireRevision(request, row);
  kind.remove(access, row);
  kind.table.delete(row.id);
  return noContent;
}
