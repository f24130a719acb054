import type { ApiRequest, ApiResponse } from '../http/api.ts';

/** A list in Keystone's format: the items under `name`, filtered by equality, with links. */
export function collection(
  request: ApiRequest,
  name: string,
  items: readonly object[],
  filters: readonly string[] = ['name'],
): ApiResponse {
  const expected = filters.flatMap((filter) => {
    const value = request.query.get(filter);
    return value === null ? [] : [[filter, value] as const];
  });
  const kept = items.filter((item) => {
    const fields = item as Readonly<Record<string, unknown>>;
    return expected.every(([filter, value]) => String(fields[filter]) === value || isSameFlag(fields[filter], value));
  });
  const query = request.query.size > 0 ? `?${request.query.toString()}` : '';
  return {
    status: 200,
    body: { [name]: kept, links: { self: `${request.origin}${request.path}${query}`, previous: null, next: null } },
  };
}

function isSameFlag(field: unknown, value: string): boolean {
  return typeof field === 'boolean' && (field ? ['true', '1'] : ['false', '0']).includes(value.toLowerCase());
}
