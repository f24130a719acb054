import type { FieldError } from '@fairway/kube/object/field-error';
import { canonicalJson, isJsonArray, isJsonObject, jsonEqual } from '@fairway/kube/object/json';
import { hasRules, validateRules } from './cel-rules.ts';
import { validateEmbedded } from './embedded.ts';
import { childPath, indexPath } from './field-path.ts';
import { duplicateItems, itemKeys, itemsByKey } from './list-items.ts';
import { withEmbeddedFields } from './prune.ts';
import { objectSchemaOf, propertySchema, resolveSchema } from './resolve.ts';
import type { Definitions, Schema } from './schema.ts';
import { ValidationCost } from './validation-cost.ts';
import { validateValue } from './value-rules.ts';

/**
 * Validates a whole object against its schema, with the messages of apiextensions. CEL rules run only if the object is
 * otherwise valid, and transition rules (those with `oldSelf`) only if `old` has the value too. With `isRatcheting`, a
 * value that `old` also has is not rejected (Kubernetes' CRDValidationRatcheting): other parts of an object that is
 * older than a rule can then be changed. Items of sets and of atomic lists have no old value.
 */
export function validateObject(
  object: object,
  old: object | undefined,
  schema: Schema,
  definitions: Definitions,
  { isRatcheting = false }: { readonly isRatcheting?: boolean } = {},
): FieldError[] {
  const root = objectSchemaOf(schema, definitions);
  const errors: FieldError[] = [];
  const check: Check = { definitions, cost: new ValidationCost() };
  validate(object, isRatcheting ? old : undefined, root, check, '', errors);
  validateRestrictedMetadata(object, resolveSchema(schema, definitions), check, errors);
  if (!hasRules(root, definitions)) return errors;
  if (errors.some(blocksRules)) return [...errors, RULES_NOT_CHECKED];
  return [...errors, ...validateRules(object, old, root, definitions, { isRatcheting })];
}

/** Validates part of an object, or a default for that part, without CEL rules. */
export function validateValueBySchema(
  value: unknown,
  schema: Schema,
  definitions: Definitions,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  validate(value, undefined, schema, { definitions, cost: new ValidationCost() }, path, errors);
  return errors;
}

/** State shared by the checks of one object. */
interface Check {
  readonly definitions: Definitions;
  readonly cost: ValidationCost;
}

const RULES_NOT_CHECKED: FieldError = {
  type: 'FieldValueInvalid',
  field: '<nil>',
  value: null,
  detail:
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

/** Whether rules are skipped because of this error: what they assume may not be true. */
export function blocksRules({ type }: FieldError): boolean {
  return (
    type === 'FieldValueNotSupported' ||
    type === 'FieldValueRequired' ||
    type === 'FieldValueTooLong' ||
    type === 'FieldValueTooMany' ||
    type === 'FieldValueTypeInvalid'
  );
}

/**
 * A CustomResourceDefinition may restrict `metadata.name` and `generateName`; the rest of the schema of `metadata`
 * comes from Kubernetes.
 */
function validateRestrictedMetadata(object: object, schema: Schema, check: Check, errors: FieldError[]): void {
  const metadata = schema.properties?.metadata;
  if (metadata?.properties === undefined) return;
  const value = (object as { metadata?: Record<string, unknown> }).metadata ?? {};
  for (const [name, property] of Object.entries(metadata.properties)) {
    if (value[name] !== undefined) validate(value[name], undefined, property, check, `metadata.${name}`, errors);
  }
}

/** `old` is the stored value, if known, for ratcheting. */
function validate(
  value: unknown,
  old: unknown,
  declared: Schema,
  check: Check,
  path: string,
  errors: FieldError[],
): void {
  const { definitions, cost } = check;
  const schema = withEmbeddedFields(resolveSchema(declared, definitions));
  if (value === null && (schema.nullable === true || declared.nullable === true)) return;
  cost.chargeValue(value, schema);
  const previous = errors.length;
  const isTyped = validateValue(value, schema, path, errors);
  cost.chargeErrors(errors.length - previous);
  if (isTyped) {
    if (isJsonObject(value)) validateMembers(value, old, schema, check, path, errors);
    else if (isJsonArray(value)) validateItems(value, old, schema, check, path, errors);
    const { allOf, anyOf, oneOf, not } = schema;
    if ((allOf ?? anyOf ?? oneOf ?? not) !== undefined) validateCombinations(value, schema, check, path, errors);
  }
  if (errors.length > previous && old !== undefined && jsonEqual(value, old)) errors.length = previous;
}

function validateMembers(
  object: Readonly<Record<string, unknown>>,
  old: unknown,
  schema: Schema,
  check: Check,
  path: string,
  errors: FieldError[],
): void {
  for (const name of schema.required ?? []) {
    if (object[name] === undefined)
      errors.push({ type: 'FieldValueRequired', field: childPath(path, name), detail: '' });
  }
  if (schema['x-kubernetes-embedded-resource']) validateEmbedded(object, path, errors);
  const previous = isJsonObject(old) ? old : undefined;
  for (const name in object) {
    const property = propertySchema(schema, name);
    if (property !== undefined && object[name] !== undefined) {
      const oldMember = previous !== undefined && Object.hasOwn(previous, name) ? previous[name] : undefined;
      validate(object[name], oldMember, property, check, childPath(path, name), errors);
    }
  }
}

function validateItems(
  items: readonly unknown[],
  old: unknown,
  schema: Schema,
  check: Check,
  path: string,
  errors: FieldError[],
): void {
  if (schema.items !== undefined) {
    const oldItems = itemsByKey(old, schema, check.definitions);
    for (const [index, item] of items.entries()) {
      const oldItem = oldItems?.get(canonicalJson(itemKeys(item, schema, check.definitions)));
      validate(item, oldItem, schema.items, check, indexPath(path, index), errors);
    }
  }
  for (const index of duplicateItems(items, schema, check.definitions)) {
    errors.push({
      type: 'FieldValueDuplicate',
      field: indexPath(path, index.position),
      value: index.value,
      detail: '',
    });
  }
}

/** allOf, anyOf, oneOf and not, with kube-openapi's messages and the errors of the best matching alternative. */
function validateCombinations(value: unknown, schema: Schema, check: Check, path: string, errors: FieldError[]): void {
  const errorsOf = (part: Schema) => {
    const found: FieldError[] = [];
    validate(value, undefined, part, check, path, found);
    return found;
  };
  const addError = (wording: string) =>
    errors.push({ type: 'FieldValueInvalid', field: path || '<nil>', value: '', detail: `"${path}" ${wording}` });

  for (const part of schema.allOf ?? []) errors.push(...errorsOf(part));
  if (schema.anyOf !== undefined) {
    const best = bestOf(schema.anyOf.map(errorsOf));
    if (best.length > 0) {
      addError('must validate at least one schema (anyOf)');
      errors.push(...best);
    }
  }
  if (schema.oneOf !== undefined) {
    const results = schema.oneOf.map(errorsOf);
    const valid = results.filter((result) => result.length === 0).length;
    if (valid === 0) {
      addError('must validate one and only one schema (oneOf). Found none valid');
      errors.push(...bestOf(results));
    } else if (valid > 1) {
      addError(`must validate one and only one schema (oneOf). Found ${valid} valid alternatives`);
    }
  }
  if (schema.not !== undefined && errorsOf(schema.not).length === 0) addError('must not validate the schema (not)');
}

function bestOf(results: readonly FieldError[][]): FieldError[] {
  return results.reduce((best, result) => (result.length < best.length ? result : best), results[0] ?? []);
}
