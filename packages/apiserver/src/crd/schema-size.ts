import type { FieldError } from '@fairway/kube/object/field-error';
import { tryCompilePattern } from '../schema/pattern.ts';
import type { Schema } from '../schema/schema.ts';

/**
 * Limits on the patterns and rules of one version's schema, which keep compilation below a second. The Gateway API's
 * schemas contain 3 KB of patterns and 40 KB of rules.
 */
const MAX_PATTERN_CHARS = 64 * 1024;
const MAX_PATTERN_INSTRUCTIONS = 50_000;
const MAX_RULE_CHARS = 256 * 1024;

/** The limits that a schema exceeds. Checked before anything is compiled; duplicates count once. */
export function schemaSizeErrors(schema: Schema, path: string): FieldError[] {
  const patterns = new Set<string>();
  const rules = new Set<string>();
  collect(schema, patterns, rules);
  const ruleChars = charsOf(rules);
  if (ruleChars > MAX_RULE_CHARS) return [limitError(path, 'its rules', ruleChars, MAX_RULE_CHARS, 'characters')];
  const patternChars = charsOf(patterns);
  if (patternChars > MAX_PATTERN_CHARS) {
    return [limitError(path, 'its patterns', patternChars, MAX_PATTERN_CHARS, 'characters')];
  }
  let instructions = 0;
  for (const pattern of patterns) {
    instructions += tryCompilePattern(pattern)?.size ?? 0;
    if (instructions <= MAX_PATTERN_INSTRUCTIONS) continue;
    return [limitError(path, 'its patterns, compiled,', instructions, MAX_PATTERN_INSTRUCTIONS, 'instructions')];
  }
  return [];
}

function collect(schema: Schema, patterns: Set<string>, rules: Set<string>): void {
  if (schema.pattern !== undefined) patterns.add(schema.pattern);
  for (const { rule, messageExpression } of schema['x-kubernetes-validations'] ?? []) {
    rules.add(rule);
    if (messageExpression !== undefined) rules.add(messageExpression);
  }
  const { items, additionalProperties, not, allOf = [], anyOf = [], oneOf = [] } = schema;
  const parts = [...Object.values(schema.properties ?? {}), ...allOf, ...anyOf, ...oneOf];
  for (const part of [...parts, items, not]) if (part !== undefined) collect(part, patterns, rules);
  if (typeof additionalProperties === 'object') collect(additionalProperties, patterns, rules);
}

function charsOf(texts: ReadonlySet<string>): number {
  let chars = 0;
  for (const { length } of texts) chars += length;
  return chars;
}

function limitError(field: string, what: string, found: number, limit: number, unit: string): FieldError {
  const detail = `${what} have at least ${found} ${unit}, the limit is ${limit}: use fewer or shorter ones`;
  return { type: 'FieldValueTooLong', field, detail };
}
