import type { FieldError, FieldErrorType } from '@fairway/kube/object/field-error';
import { canonicalJson, isJsonArray, isJsonObject, jsonEqual } from '@fairway/kube/object/json';
import { Optional } from '@marcbachmann/cel-js';
import { CelBudget, CelCostError } from './cel-budget.ts';
import { type CompiledRule, compileRules } from './cel-compile.ts';
import { environmentFor } from './cel-environment.ts';
import { celValueOf } from './cel-values.ts';
import { childPath, indexPath, keyPath } from './field-path.ts';
import { hasFormat } from './formats.ts';
import { itemKeys, itemsByKey } from './list-items.ts';
import { propertySchema, resolveSchema } from './resolve.ts';
import type { Definitions, Schema, ValidationRule } from './schema.ts';

/**
 * Runs the CEL rules in and below a schema on a value at `path`, with the old value if it can be matched. If one rule,
 * or all rules together, exceed Kubernetes' cost limits, evaluation ends with an error. With `isRatcheting`, unchanged
 * stored values are not rejected.
 */
export function validateRules(
  value: unknown,
  old: unknown,
  schema: Schema,
  definitions: Definitions,
  { path = '', isRatcheting = false }: { readonly path?: string; readonly isRatcheting?: boolean } = {},
): FieldError[] {
  const errors: FieldError[] = [];
  walk(value, old, schema, path, { definitions, errors, budget: new CelBudget(), isRatcheting });
  return errors;
}

const hasRulesCache = new WeakMap<Schema, boolean>();

/** Whether there is a CEL rule in or below the schema. */
export function hasRules(schema: Schema, definitions: Definitions): boolean {
  const resolved = resolveSchema(schema, definitions);
  const known = hasRulesCache.get(resolved);
  if (known !== undefined) return known;
  const found = searchRules(resolved, definitions, new Set());
  hasRulesCache.set(resolved, found);
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

/** State shared by the rules of one object. */
interface Run {
  readonly definitions: Definitions;
  readonly errors: FieldError[];
  readonly budget: CelBudget;
  readonly isRatcheting: boolean;
}

function walk(value: unknown, old: unknown, declared: Schema, path: string, run: Run): void {
  const { definitions, errors, budget } = run;
  if (value === null || value === undefined || budget.isExceeded || !hasRules(declared, definitions)) return;
  const schema = resolveSchema(declared, definitions);
  const level = new Level(value, old, schema, path, run);
  for (const compiled of compileRules(schema)) {
    const error = level.runRule(compiled);
    if (error !== undefined) errors.push(error);
    if (budget.isExceeded) return;
  }
  if (isJsonObject(value)) {
    const oldMembers = isJsonObject(old) ? old : {};
    for (const name in value) {
      const property = propertySchema(schema, name);
      if (property === undefined) continue;
      const isField = schema.properties !== undefined && Object.hasOwn(schema.properties, name);
      const memberPath = isField ? childPath(path, name) : keyPath(path, name);
      const oldMember = Object.hasOwn(oldMembers, name) ? oldMembers[name] : undefined;
      walk(value[name], oldMember, property, memberPath, run);
    }
  } else if (isJsonArray(value) && schema.items !== undefined) {
    const oldItems = itemsByKey(old, schema, definitions);
    for (const [index, item] of value.entries()) {
      const oldItem = oldItems?.get(canonicalJson(itemKeys(item, schema, definitions)));
      walk(item, oldItem, schema.items, indexPath(path, index), run);
    }
  }
}

/** A value with its schema's rules. It is converted for CEL once, before the first rule runs. */
class Level {
  readonly #value: unknown;
  readonly #old: unknown;
  readonly #schema: Schema;
  readonly #path: string;
  readonly #run: Run;
  #self: unknown;
  #oldSelf: unknown;

  constructor(value: unknown, old: unknown, schema: Schema, path: string, run: Run) {
    this.#value = value;
    this.#old = old;
    this.#schema = schema;
    this.#path = path;
    this.#run = run;
  }

  runRule({ rule, program, messageProgram, usesOldSelf, error }: CompiledRule): FieldError | undefined {
    if (program === undefined) return this.#ruleError(`rule compile error: ${error}`);
    const isOptional = rule.optionalOldSelf === true;
    if (usesOldSelf && this.#old === undefined && !isOptional) return undefined;

    const { budget, isRatcheting } = this.#run;
    const context: { self: unknown; oldSelf?: unknown } = { self: undefined };
    try {
      context.self = this.#self ??= this.#seen(this.#value);
      if (usesOldSelf) {
        this.#oldSelf ??= this.#old === undefined ? undefined : this.#seen(this.#old);
        context.oldSelf = isOptional ? optionalOf(this.#oldSelf) : this.#oldSelf;
      }
      if (budget.run(() => program(context)) === true) return undefined;
    } catch (thrown) {
      if (thrown instanceof CelCostError) return this.#ruleError(costMessage(thrown, rule));
      return this.#ruleError(`${reasonOf(thrown)} evaluating rule: ${(rule.message ?? rule.rule).trim()}`);
    }
    if (isRatcheting && !usesOldSelf && this.#old !== undefined && jsonEqual(this.#value, this.#old)) return undefined;
    const isComposite = this.#schema.type === 'object' || this.#schema.type === 'array';
    return {
      type: (rule.reason as FieldErrorType | undefined) ?? 'FieldValueInvalid',
      field: fieldOf(rule, this.#path),
      ...(!isComposite && { value: this.#value }),
      detail: messageOf(rule, messageProgram && (() => budget.run(() => messageProgram(context)))),
    };
  }

  #seen(value: unknown): unknown {
    this.#run.budget.chargeValue(value);
    return celValueOf(value, this.#schema, this.#run.definitions, convertText);
  }

  #ruleError(detail: string): FieldError {
    const field = this.#path === '' ? '<nil>' : this.#path;
    return { type: 'FieldValueInvalid', field, value: this.#schema.type, detail };
  }
}

/** The cost error in upstream's wording. */
function costMessage({ of, message }: CelCostError, rule: ValidationRule): string {
  if (of === 'object') {
    return 'validation failed due to running out of cost budget, no further validation rules will be run';
  }
  const name = (rule.message ?? rule.rule).trim();
  return `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${name}`;
}

function optionalOf(value: unknown): unknown {
  return value === undefined ? Optional.none() : Optional.of(value);
}

function fieldOf(rule: ValidationRule, path: string): string {
  const within = rule.fieldPath?.replace(/^\./, '') ?? '';
  if (within === '') return path === '' ? '<nil>' : path;
  return within.startsWith('[') ? `${path}${within}` : childPath(path, within);
}

/**
 * Maximum length of a message from messageExpression. If it is longer, the rule's static message is used, as
 * in upstream.
 */
const MAX_MESSAGE_CHARS = 5 * 1024;

function messageOf(rule: ValidationRule, makeMessage: (() => unknown) | undefined): string {
  const fallback = rule.message === undefined ? `failed rule: ${rule.rule.trim()}` : rule.message.trim();
  if (makeMessage === undefined) return fallback;
  try {
    const message = makeMessage();
    const isText = typeof message === 'string' && message.length <= MAX_MESSAGE_CHARS;
    return isText && message.trim() !== '' && !message.includes('\n') ? message.trim() : fallback;
  } catch {
    // A failing messageExpression must not hide the rule's failure.
    return fallback;
  }
}

/** Go's errors begin with a lower-case letter. */
function reasonOf(thrown: unknown): string {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const reason = 'summary' in error ? String(error.summary) : error.message;
  return reason.charAt(0).toLowerCase() + reason.slice(1);
}

/** String formats with a CEL type. Invalid strings were already rejected. */
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
