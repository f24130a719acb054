import type { FieldError, FieldErrorType } from '@fairway/kube/object/field-error';
import { canonicalJson, isJsonArray, isJsonObject } from '@fairway/kube/object/json';
import { Optional } from '@marcbachmann/cel-js';
import { type CompiledRule, compileRules } from './cel-compile.ts';
import { environmentFor } from './cel-environment.ts';
import { celValueOf } from './cel-values.ts';
import { childPath, indexPath, keyPath } from './field-path.ts';
import { hasFormat } from './formats.ts';
import { itemKeys } from './list-items.ts';
import { propertySchema, resolveSchema } from './resolve.ts';
import type { Definitions, Schema, ValidationRule } from './schema.ts';

/** Runs the CEL rules in and beneath a schema on a value that stands at `path`, with the old value where the two can be matched. */
export function validateRules(
  value: unknown,
  old: unknown,
  schema: Schema,
  definitions: Definitions,
  path = '',
): FieldError[] {
  const errors: FieldError[] = [];
  walk(value, old, schema, definitions, path, errors);
  return errors;
}

const knownRules = new WeakMap<Schema, boolean>();

/** Whether there is a CEL rule in or beneath the schema. */
export function hasRules(schema: Schema, definitions: Definitions): boolean {
  const resolved = resolveSchema(schema, definitions);
  const known = knownRules.get(resolved);
  if (known !== undefined) return known;
  const found = searchRules(resolved, definitions, new Set());
  knownRules.set(resolved, found);
  return found;
}

function searchRules(declared: Schema, definitions: Definitions, visited: Set<Schema>): boolean {
  const schema = resolveSchema(declared, definitions);
  if (visited.has(schema)) return false;
  visited.add(schema);
  if ((schema['x-kubernetes-validations'] ?? []).length > 0) return true;
  const parts = Object.values(schema.properties ?? {});
  if (schema.items !== undefined) parts.push(schema.items);
  if (typeof schema.additionalProperties === 'object') parts.push(schema.additionalProperties);
  return parts.some((part) => searchRules(part, definitions, visited));
}

function walk(
  value: unknown,
  old: unknown,
  declared: Schema,
  definitions: Definitions,
  path: string,
  errors: FieldError[],
): void {
  if (value === null || value === undefined || !hasRules(declared, definitions)) return;
  const schema = resolveSchema(declared, definitions);
  for (const compiled of compileRules(schema)) {
    const error = runRule(compiled, value, old, schema, definitions, path);
    if (error !== undefined) errors.push(error);
  }
  if (isJsonObject(value)) {
    const oldMembers = isJsonObject(old) ? old : {};
    for (const name in value) {
      const property = propertySchema(schema, name);
      if (property === undefined) continue;
      const isField = schema.properties !== undefined && Object.hasOwn(schema.properties, name);
      const memberPath = isField ? childPath(path, name) : keyPath(path, name);
      const oldMember = Object.hasOwn(oldMembers, name) ? oldMembers[name] : undefined;
      walk(value[name], oldMember, property, definitions, memberPath, errors);
    }
  } else if (isJsonArray(value) && schema.items !== undefined) {
    const oldItems = itemsByKey(old, schema, definitions);
    for (const [index, item] of value.entries()) {
      const oldItem = oldItems?.get(canonicalJson(itemKeys(item, schema, definitions)));
      walk(item, oldItem, schema.items, definitions, indexPath(path, index), errors);
    }
  }
}

/** Items can be matched with old ones by key only; those of sets and atomic lists have no past. */
function itemsByKey(old: unknown, schema: Schema, definitions: Definitions): Map<string, unknown> | undefined {
  if (schema['x-kubernetes-list-type'] !== 'map' || !isJsonArray(old)) return undefined;
  return new Map(old.map((item) => [canonicalJson(itemKeys(item, schema, definitions)), item]));
}

function runRule(
  { rule, program, messageProgram, usesOldSelf, error }: CompiledRule,
  value: unknown,
  old: unknown,
  schema: Schema,
  definitions: Definitions,
  path: string,
): FieldError | undefined {
  const wrong = (detail: string): FieldError => ({
    type: 'FieldValueInvalid',
    field: path === '' ? '<nil>' : path,
    value: schema.type,
    detail,
  });
  if (program === undefined) return wrong(`rule compile error: ${error}`);
  const isOptional = rule.optionalOldSelf === true;
  if (usesOldSelf && old === undefined && !isOptional) return undefined;

  const context: { self: unknown; oldSelf?: unknown } = {
    self: celValueOf(value, schema, definitions, convertText),
  };
  if (usesOldSelf) {
    const oldSelf = old === undefined ? undefined : celValueOf(old, schema, definitions, convertText);
    context.oldSelf = isOptional ? optionalOf(oldSelf) : oldSelf;
  }
  try {
    if (program(context) === true) return undefined;
  } catch (thrown) {
    return wrong(`${reasonOf(thrown)} evaluating rule: ${(rule.message ?? rule.rule).trim()}`);
  }
  const isComposite = schema.type === 'object' || schema.type === 'array';
  return {
    type: (rule.reason as FieldErrorType | undefined) ?? 'FieldValueInvalid',
    field: fieldOf(rule, path),
    ...(!isComposite && { value }),
    detail: messageOf(rule, messageProgram, context),
  };
}

function optionalOf(value: unknown): unknown {
  return value === undefined ? Optional.none() : Optional.of(value);
}

function fieldOf(rule: ValidationRule, path: string): string {
  const within = rule.fieldPath?.replace(/^\./, '') ?? '';
  if (within === '') return path === '' ? '<nil>' : path;
  return within.startsWith('[') ? `${path}${within}` : childPath(path, within);
}

function messageOf(
  rule: ValidationRule,
  messageProgram: CompiledRule['messageProgram'],
  context: { self: unknown; oldSelf?: unknown },
): string {
  const fallback = rule.message === undefined ? `failed rule: ${rule.rule.trim()}` : rule.message.trim();
  if (messageProgram === undefined) return fallback;
  try {
    const message = messageProgram(context);
    const isUsable = typeof message === 'string' && message.trim() !== '' && !message.includes('\n');
    return isUsable ? message.trim() : fallback;
  } catch {
    // A message that cannot be made must not hide what it is about.
    return fallback;
  }
}

/** Go's errors begin with a small letter. */
function reasonOf(thrown: unknown): string {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const reason = 'summary' in error ? String(error.summary) : error.message;
  return reason.charAt(0).toLowerCase() + reason.slice(1);
}

/** Text of a format that CEL has a type for. Text that does not have the format was refused before. */
function convertText(text: string, format: string): unknown {
  if (!hasFormat(text, format)) return text;
  switch (format) {
    case 'date':
    case 'date-time':
      return new Date(text);
    case 'duration':
      return environmentFor('string', false).evaluate('duration(self)', { self: text });
    case 'byte':
      return new Uint8Array(Buffer.from(text, 'base64'));
    default:
      return text;
  }
}
