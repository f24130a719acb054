import type { FlowSchema } from '@fairway/kube/kinds/generated/types';
import { jsonEqual } from '@fairway/kube/object/json';
import { FlowCounts } from './flow-counts.ts';
import { compareByPrecedence } from './precedence.ts';
import type { PriorityLevel } from './priority-level.ts';
import { compileSchema, costOf, type SchemaMatcher } from './schema-matcher.ts';
import { CATCH_ALL, MANDATORY_OBJECTS, SUGGESTED_OBJECTS } from './standard-objects.ts';

/** A FlowSchema prepared for matching. */
export interface CompiledSchema {
  readonly name: string;
  readonly uid: string | undefined;
  readonly matches: SchemaMatcher;
  /** How its requests are split into flows; undefined if all of them are one flow. */
  readonly distinguisher: string | undefined;
  readonly level: PriorityLevel;
  readonly counts: FlowCounts;
}

/** Maximum comparisons per request: FlowSchemas must not slow down every request in the process. */
export const MAX_COST = 2_000;

/** The names of the effective FlowSchemas, and of the FlowSchemas beyond the comparison limit, which come last. */
export function schemasWithinBounds(schemas: readonly FlowSchema[]): ReadonlySet<string> {
  const within = new Set<string>();
  let cost = 0;
  for (const schema of [...schemas].sort(compareByPrecedence)) {
    cost += costOf(schema);
    if (cost > MAX_COST && schema.metadata.name !== CATCH_ALL) continue;
    within.add(schema.metadata.name ?? '');
  }
  return within;
}

/** The schemas of a level, in order; `catch-all` is the last one. Counts are carried over from `former`. */
export function compileSchemas(
  schemas: readonly FlowSchema[],
  levels: ReadonlyMap<string, PriorityLevel>,
  previous: readonly CompiledSchema[],
): CompiledSchema[] {
  const counts = new Map(previous.map((schema) => [`${schema.level.name} ${schema.name}`, schema.counts]));
  const within = schemasWithinBounds(schemas);
  const compiled: CompiledSchema[] = [];
  for (const schema of [...schemas].sort(compareByPrecedence)) {
    const { metadata, spec } = schema;
    const level = levels.get(spec.priorityLevelConfiguration.name);
    const name = metadata.name ?? '';
    if (level === undefined || !within.has(name)) continue;
    compiled.push({
      name,
      uid: metadata.uid,
      matches: matcherOf(schema),
      distinguisher: spec.distinguisherMethod?.type,
      level,
      counts: counts.get(`${level.name} ${name}`) ?? new FlowCounts(),
    });
  }
  return compiled;
}

/** All servers share the matchers of standard schemas. */
const standard = new Map<string, { readonly spec: FlowSchema['spec']; readonly matches: SchemaMatcher }>(
  [...MANDATORY_OBJECTS.flowSchemas, ...SUGGESTED_OBJECTS.flowSchemas].map((schema) => [
    schema.metadata.name ?? '',
    { spec: schema.spec, matches: compileSchema(schema) },
  ]),
);

function matcherOf(schema: FlowSchema): SchemaMatcher {
  const known = standard.get(schema.metadata.name ?? '');
  return known !== undefined && jsonEqual(known.spec, schema.spec) ? known.matches : compileSchema(schema);
}
