/** A time in Barbican's format: `2026-01-02T03:04:05`, in UTC. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19);
}

const ISO_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}(?::?\d{2}(?::?\d{2})?)?)(?:\.\d+)?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/** Epoch milliseconds of an ISO 8601 time, in whole seconds; UTC if the time has no time zone. Undefined if invalid. */
export function parseIsoTime(text: string): number | undefined {
  const match = ISO_TIME.exec(text.trim());
  if (match === null) return undefined;
  const [, date = '', time = '00', zone = 'Z'] = match;
  const digits = time.replaceAll(':', '').padEnd(6, '0');
  const offset = /^z$/i.test(zone) ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '').padEnd(2, '0')}`;
  const ms = Date.parse(`${date}T${digits.slice(0, 2)}:${digits.slice(2, 4)}:${digits.slice(4, 6)}${offset}`);
  return Number.isNaN(ms) ? undefined : ms;
}

const RELATIONS = {
  gt: (a: number, b: number) => a > b,
  gte: (a: number, b: number) => a >= b,
  lt: (a: number, b: number) => a < b,
  lte: (a: number, b: number) => a <= b,
  eq: (a: number, b: number) => a === b,
};

type Relation = keyof typeof RELATIONS;

/** Relations that must not occur together in one filter. */
const CONFLICTING_RELATIONS: Readonly<Record<Relation, readonly Relation[]>> = {
  gt: ['gt', 'gte'],
  gte: ['gt', 'gte', 'eq'],
  lt: ['lt', 'lte'],
  lte: ['lt', 'lte', 'eq'],
  eq: ['eq', 'gte', 'lte'],
};

/** The test that a filter such as `gt:2026-01-01,lt:2026-02-01` describes; undefined if the filter is invalid. */
export function dateFilter(text: string): ((ms: number) => boolean) | undefined {
  const bounds = new Map<Relation, number>();
  for (const part of text.split(',')) {
    const [, relation = 'eq', time = ''] = /^(?:(gte?|lte?):)?(.*)$/.exec(part) ?? [];
    const ms = parseIsoTime(time);
    const key = relation as Relation;
    if (ms === undefined || CONFLICTING_RELATIONS[key].some((other) => bounds.has(other))) return undefined;
    bounds.set(key, ms);
  }
  return (ms) => [...bounds].every(([relation, bound]) => RELATIONS[relation](Math.floor(ms / 1000) * 1000, bound));
}
