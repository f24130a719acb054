import { type ApiRequest, type ApiResponse, ok, type Route } from '../http/api.ts';
import type { Table } from '../state/table.ts';
import { requireRead } from './access.ts';
import { notFound } from './problem.ts';
import { listResponse, pick, projectOf, type View } from './query.ts';
import type { TreeObject } from './records.ts';

/** A kind of object that can be listed and read. */
export interface Collection<R extends TreeObject> {
  /** Name of the object in the body: `listener`. */
  readonly singular: string;
  /** Name in the path and in the body of a list: `listeners`. */
  readonly plural: string;
  /** Name in messages: `Listener`. */
  readonly noun: string;
  readonly table: Table<R>;
  readonly view: (row: R) => View;
  /** Fields of the view that lists can be filtered by, in addition to those of all objects. */
  readonly filters: readonly string[];
  /** Fields that lists can be filtered by, although they are not in the view. */
  readonly extra?: (row: R) => View;
}

const COMMON_FILTERS = [
  'id',
  'name',
  'description',
  'provisioning_status',
  'operating_status',
  'admin_state_up',
  'created_at',
  'updated_at',
];

export function readRoutes<R extends TreeObject>(collection: Collection<R>): Route[] {
  const { plural, singular, noun, table, view } = collection;
  return [
    { method: 'GET', template: `/${plural}`, handle: (request) => list(request, collection) },
    {
      method: 'GET',
      template: `/${plural}/{id}`,
      handle: ({ access, params, query }) => {
        const row = table.get(params['id'] ?? '');
        if (row === undefined) throw notFound(noun, params['id'] ?? '');
        requireRead(access, row.project_id);
        return ok({ [singular]: pick(view(row), query) });
      },
    },
  ];
}

function list<R extends TreeObject>(request: ApiRequest, collection: Collection<R>): ApiResponse {
  const { table, view, extra, plural, filters } = collection;
  const rows = table.where(projectOf(request));
  const hidden = new Map(extra === undefined ? [] : rows.map((row) => [row.id, extra(row)]));
  const response = listResponse(request, plural, rows.map(view), new Set([...COMMON_FILTERS, ...filters]), hidden);
  return ok(response);
}

/** Lists the children of an object, such as the members of a pool. */
export function listChildren(
  request: ApiRequest,
  plural: string,
  views: readonly View[],
  filters: readonly string[],
): ApiResponse {
  return ok(listResponse(request, plural, views, new Set([...COMMON_FILTERS, ...filters])));
}
