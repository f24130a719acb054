import type { ApiRequest } from '../http/api.ts';
import type { World } from '../world.ts';
import { matchesLikePattern } from './list.ts';
import { isUnexpired } from './lookup.ts';
import { refuse } from './problem.ts';
import type { KeySecret } from './records.ts';
import { dateFilter } from './times.ts';

type Value = string | number | null;

const SORT_KEYS: Readonly<Record<string, (secret: KeySecret) => Value>> = {
  algorithm: ({ algorithm }) => algorithm,
  bit_length: ({ bitLength }) => bitLength,
  created: ({ createdMs }) => createdMs,
  expiration: ({ expirationMs }) => expirationMs,
  mode: ({ mode }) => mode,
  name: ({ name }) => name,
  secret_type: ({ secretType }) => secretType,
  status: () => 'ACTIVE',
  updated: ({ updatedMs }) => updatedMs,
};

/** The secrets that match a query: those of the project, or those shared with the caller by access rules. */
export function listSecrets({ tables, clock }: World, { access, query }: ApiRequest): KeySecret[] {
  const dates = (['created', 'updated', 'expiration'] as const).flatMap((field) => {
    const text = query.get(field);
    if (text === null || text === '') return [];
    const matchesDate = dateFilter(text);
    if (matchesDate === undefined) throw badQuery();
    return [(secret: KeySecret) => matchesDate(Number(SORT_KEYS[field]?.(secret) ?? Number.NaN))];
  });
  const order = sortOrder(query.get('sort'));
  const isShared = query.get('acl_only')?.toLowerCase() === 'true';
  const isReadable = ({ acl, projectId }: KeySecret): boolean =>
    isShared ? acl?.users.includes(access.userId) === true : projectId === access.projectId;
  const matchesName = (text: string | null, name: string): boolean => {
    const pattern = query.get(name);
    return pattern === null || pattern === '' || matchesLikePattern(text, pattern);
  };
  const bits = Number.parseInt(query.get('bits') ?? '', 10) || 0;
  const type = query.get('secret_type');
  return tables.keySecrets
    .where(
      (secret) =>
        isReadable(secret) &&
        isUnexpired(secret, clock.now()) &&
        matchesName(secret.name, 'name') &&
        matchesName(secret.algorithm, 'alg') &&
        matchesName(secret.mode, 'mode') &&
        (bits <= 0 || secret.bitLength === bits) &&
        (type === null || type === '' || secret.secretType === type) &&
        dates.every((matchesDate) => matchesDate(secret)),
    )
    .sort(order);
}

function badQuery(): Error {
  return refuse(400, 'URI provided invalid query string parameters.');
}

function sortOrder(text: string | null): (a: KeySecret, b: KeySecret) => number {
  if (text === null || text === '') return () => 0;
  const keys = text.split(',').map((part) => {
    const [key = '', direction = 'asc', ...rest] = part.split(':');
    const value = SORT_KEYS[key];
    if (value === undefined || rest.length > 0 || (direction !== 'asc' && direction !== 'desc')) throw badQuery();
    return { key, value, sign: direction === 'asc' ? 1 : -1 };
  });
  if (new Set(keys.map(({ key }) => key)).size < keys.length) throw badQuery();
  return (a, b) => {
    for (const { value, sign } of keys) {
      const difference = compare(value(a), value(b)) * sign;
      if (difference !== 0) return difference;
    }
    return 0;
  };
}

/** MariaDB's sort order: null first, and strings without regard to case. */
function compare(a: Value, b: Value): number {
  if (a === null || b === null) return (a === null ? 0 : 1) - (b === null ? 0 : 1);
  const [x, y] = [a, b].map((value) => (typeof value === 'string' ? value.toLowerCase() : value)) as [Value, Value];
  if (x === y) return 0;
  return (x ?? 0) < (y ?? 0) ? -1 : 1;
}
