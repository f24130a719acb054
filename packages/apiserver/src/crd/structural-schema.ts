import type { FieldError } from '@fairway/kube/object/field-error';
import { jsonEqual } from '@fairway/kube/object/json';
import { compileRules } from '../schema/cel-compile.ts';
import { validateRules as ruleErrors } from '../schema/cel-rules.ts';
import { compilePattern, PatternError } from '../schema/pattern.ts';
import type { Schema } from '../schema/schema.ts';
import { validateValueBySchema } from '../schema/validate.ts';
import { ErrorList } from './error-list.ts';
import { schemaSizeErrors } from './schema-size.ts';

type Level = 'root' | 'item' | 'field';

const TYPES = new Set(['array', 'boolean', 'integer', 'number', 'object', 'string']);
const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];
const NO_DEFINITIONS = new Map<string, Schema>();
const UNSUPPORTED_KEYWORDS = ['$ref', 'id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies'];

/**
 * Why a schema of a CustomResourceDefinition is not structural, or why its extensions are invalid, in the wording of
 * apiextensions (pkg/apiserver/schema/validation.go and pkg/apis/apiextensions/validation).
 */
export function validateStructuralSchema(schema: Schema, path: string): FieldError[] {
  const sizeErrors = schemaSizeErrors(schema, path);
  if (sizeErrors.length > 0) return sizeErrors;
  const errors = new ErrorList();
  if (schema.nullable) errors.forbidden(`${path}.nullable`, 'nullable cannot be true at the root');
  if (schema.default !== undefined) errors.forbidden(`${path}.default`, 'must not be set at the root');
  validateLevel(schema, path, 'root', errors);
  // Values can only be checked against a valid schema.
  if (errors.list.length === 0) validateDefaults(schema, path, errors);
  return errors.list;
}

function validateLevel(schema: Schema, path: string, level: Level, errors: ErrorList): void {
  validateKeywords(schema, path, errors);
  validateType(schema, path, level, errors);
  validateExtensions(schema, path, errors);
  validateListExtensions(schema, path, errors);
  validateRules(schema, path, errors);
  validateAlternatives(schema, path, errors);
  if (level === 'root' || schema['x-kubernetes-embedded-resource']) validateObjectFields(schema, path, level, errors);

  if (schema.items !== undefined) validateLevel(schema.items, `${path}.items`, 'item', errors);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isRootMetadata = level === 'root' && name === 'metadata';
    if (!isRootMetadata) validateLevel(property, `${path}.properties[${name}]`, 'field', errors);
  }
  if (typeof schema.additionalProperties === 'object') {
    validateLevel(schema.additionalProperties, `${path}.additionalProperties`, 'field', errors);
  }
}

function validateKeywords(schema: Schema, path: string, errors: ErrorList): void {
  for (const keyword of UNSUPPORTED_KEYWORDS) {
    if (keyword in schema) errors.forbidden(`${path}.${keyword}`, `${keyword} is not supported`);
  }
  if (schema.uniqueItems) {
    const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.forbidden(`${path}.uniqueItems`, detail);
  }
  if (schema.additionalProperties !== undefined && schema.properties !== undefined) {
    const detail = 'additionalProperties and properties are mutual exclusive';
    if (schema.additionalProperties !== false) errors.forbidden(`${path}.additionalProperties`, detail);
  }
  if (schema.additionalProperties === false) {
    errors.forbidden(`${path}.additionalProperties`, 'additionalProperties cannot be set to false');
  }
  const wrong = schema.pattern === undefined ? undefined : patternError(schema.pattern);
  if (wrong !== undefined) {
    errors.invalid(`${path}.pattern`, schema.pattern ?? '', `must be a valid regular expression, but isn't: ${wrong}`);
  }
}

function patternError(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}

function validateType(schema: Schema, path: string, level: Level, errors: ErrorList): void {
  const { type } = schema;
  const isIntOrString = schema['x-kubernetes-int-or-string'] === true;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  if (type !== undefined && !TYPES.has(type)) errors.notSupported(`${path}.type`, type, [...TYPES]);
  else if (isEmbedded && type !== 'object') {
    errors.requiredOrInvalid(`${path}.type`, type, 'must be object if x-kubernetes-embedded-resource is true');
  } else if (type === undefined && !isIntOrString && !schema['x-kubernetes-preserve-unknown-fields']) {
    const where = {
      root: 'must not be empty at the root',
      item: 'must not be empty for specified array items',
      field: 'must not be empty for specified object fields',
    };
    errors.required(`${path}.type`, where[level]);
  } else if (level === 'root' && type !== undefined && type !== 'object') {
    errors.invalid(`${path}.type`, type, 'must be object at the root');
  }
  if (type === 'array' && schema.items === undefined) errors.required(`${path}.items`, 'must be specified');
  if (level === 'root' && schema.additionalProperties !== undefined) {
    errors.forbidden(`${path}.additionalProperties`, 'must not be used at the root');
  }
}

function validateExtensions(schema: Schema, path: string, errors: ErrorList): void {
  const preserves = schema['x-kubernetes-preserve-unknown-fields'];
  if (preserves === false) {
    errors.invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined');
  }
  if (schema['x-kubernetes-int-or-string']) {
    const detail = 'must be false if x-kubernetes-int-or-string is true';
    if (preserves) errors.invalid(`${path}.x-kubernetes-preserve-unknown-fields`, true, detail);
    if (schema['x-kubernetes-embedded-resource'])
      errors.invalid(`${path}.x-kubernetes-embedded-resource`, true, detail);
  }
  const mapType: string | undefined = schema['x-kubernetes-map-type'];
  if (mapType === undefined) return;
  if (schema.type !== 'object') {
    errors.requiredOrInvalid(`${path}.type`, schema.type, 'must be object if x-kubernetes-map-type is specified');
  }
  if (mapType !== 'atomic' && mapType !== 'granular') {
    errors.notSupported(`${path}.x-kubernetes-map-type`, mapType, ['atomic', 'granular']);
  }
}

function validateListExtensions(schema: Schema, path: string, errors: ErrorList): void {
  const listType: string | undefined = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (keys.length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    errors.requiredOrInvalid(`${path}.x-kubernetes-list-type`, listType, detail);
  }
  if (listType === undefined) return;
  if (schema.type !== 'array') {
    errors.requiredOrInvalid(`${path}.type`, schema.type, 'must be array if x-kubernetes-list-type is specified');
  }
  if (listType !== 'atomic' && listType !== 'set' && listType !== 'map') {
    errors.notSupported(`${path}.x-kubernetes-list-type`, listType, ['atomic', 'set', 'map']);
    return;
  }
  const { items } = schema;
  if (listType !== 'atomic' && items?.nullable) {
    errors.forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`);
  }
  if (listType === 'set') validateSetItems(items, path, errors);
  if (listType === 'map') validateListMapKeys(items, keys, path, errors);
}

function validateSetItems(items: Schema | undefined, path: string, errors: ErrorList): void {
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  if (items?.type === 'array' && (items['x-kubernetes-list-type'] ?? 'atomic') !== 'atomic') {
    errors.invalid(`${path}.items.x-kubernetes-list-type`, items['x-kubernetes-list-type'], detail);
  }
  if (items?.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    errors.invalid(`${path}.items.x-kubernetes-map-type`, items['x-kubernetes-map-type'] ?? null, detail);
  }
}

function validateListMapKeys(
  items: Schema | undefined,
  keys: readonly string[],
  path: string,
  errors: ErrorList,
): void {
  const keysPath = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) errors.required(keysPath, 'must not be empty if x-kubernetes-list-type is map');
  if (items === undefined) {
    errors.required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map');
    return;
  }
  if (items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    errors.invalid(`${path}.items.type`, items.type ?? '', detail);
  }
  if (new Set(keys).size < keys.length) errors.invalid(keysPath, keys, 'must not contain duplicate entries');
  for (const key of keys) {
    const property = items.properties?.[key];
    const propertyPath = `${path}.items.properties[${key}]`;
    if (property === undefined) {
      errors.invalid(keysPath, keys, 'entries must all be names of item properties');
      continue;
    }
    if (property.type === 'array' || property.type === 'object') {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.invalid(`${propertyPath}.type`, property.type, detail);
    }
    if (property.default === undefined && items.required?.includes(key) !== true) {
      const detail =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
      errors.required(`${propertyPath}.default`, detail);
    }
    if (property.nullable) {
      const detail = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable';
      errors.forbidden(`${propertyPath}.nullable`, detail);
    }
  }
}

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

function validateRules(schema: Schema, path: string, errors: ErrorList): void {
  for (const [index, { rule, error, messageError, usesOldSelf }] of compileRules(schema).entries()) {
    const at = `${path}.x-kubernetes-validations[${index}]`;
    if (rule.rule.trim() === '') errors.required(`${at}.rule`, 'rule is not specified');
    else if (error !== undefined) errors.invalid(`${at}.rule`, rule, error);
    if (messageError !== undefined) errors.invalid(`${at}.messageExpression`, rule, messageError);
    if (rule.message?.trim() === '') errors.invalid(`${at}.message`, rule.message, 'must be non-empty if specified');
    else if (rule.message?.includes('\n'))
      errors.invalid(`${at}.message`, rule.message, 'must not contain line breaks');
    else if (rule.message === undefined && rule.rule.trim().includes('\n')) {
      errors.required(`${at}.message`, 'message must be specified if rule contains line breaks');
    }
    if (rule.reason !== undefined && !REASONS.includes(rule.reason)) {
      errors.notSupported(`${at}.reason`, rule.reason, REASONS);
    }
    if (rule.optionalOldSelf && error === undefined && !usesOldSelf) {
      errors.invalid(`${at}.optionalOldSelf`, true, 'may not be set if oldSelf is not used in rule');
    }
  }
}

function validateDefaults(schema: Schema, path: string, errors: ErrorList): void {
  if (schema.default !== undefined) {
    const at = `${path}.default`;
    const wrong = validateValueBySchema(schema.default, schema, NO_DEFINITIONS, at);
    // Checks the default as written, without the defaults of its fields.
    errors.list.push(
      ...wrong,
      ...(wrong.length > 0 ? [] : ruleErrors(schema.default, undefined, schema, NO_DEFINITIONS, { path: at })),
    );
  }
  if (schema.items !== undefined) validateDefaults(schema.items, `${path}.items`, errors);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    validateDefaults(property, `${path}.properties[${name}]`, errors);
  }
  if (typeof schema.additionalProperties === 'object') {
    validateDefaults(schema.additionalProperties, `${path}.additionalProperties`, errors);
  }
}

/** Within allOf, anyOf, oneOf and not, a schema may only restrict values: fields and types are declared outside. */
function validateAlternatives(schema: Schema, path: string, errors: ErrorList): void {
  const skipsAnyOf = schema['x-kubernetes-int-or-string'] && jsonEqual(schema.anyOf, INT_OR_STRING);
  const groups: [string, readonly Schema[]][] = [
    ['allOf', schema.allOf ?? []],
    ['anyOf', skipsAnyOf ? [] : (schema.anyOf ?? [])],
    ['oneOf', schema.oneOf ?? []],
  ];
  for (const [keyword, parts] of groups) {
    for (const [index, part] of parts.entries()) {
      const isIntOrString = keyword === 'allOf' && index === 0 && jsonEqual(part, { anyOf: INT_OR_STRING });
      if (!(isIntOrString && schema['x-kubernetes-int-or-string'])) {
        validateNested(part, schema, `${path}.${keyword}[${index}]`, errors);
      }
    }
  }
  if (schema.not !== undefined) validateNested(schema.not, schema, `${path}.not`, errors);
}

const FORBIDDEN_NESTED_KEYWORDS: readonly (keyof Schema)[] = [
  'type',
  'default',
  'title',
  'description',
  'nullable',
  'additionalProperties',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
];

function validateNested(part: Schema, outside: Schema | undefined, path: string, errors: ErrorList): void {
  for (const keyword of FORBIDDEN_NESTED_KEYWORDS) {
    if (part[keyword] !== undefined) errors.forbidden(`${path}.${keyword}`, 'must be undefined to be structural');
  }
  validateAlternatives(part, path, errors);
  for (const [name, property] of Object.entries(part.properties ?? {})) {
    const known = outside?.properties?.[name];
    if (name === 'metadata') {
      errors.forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context');
    } else if (known === undefined) {
      const outsidePath = path.replace(/\.(?:(?:all|any|one)Of\[\d+\]|not)/g, '');
      errors.required(`${outsidePath}.properties[${name}]`, `because it is defined in ${path}.properties[${name}]`);
    }
    validateNested(property, known, `${path}.properties[${name}]`, errors);
  }
  if (part.items !== undefined) validateNested(part.items, outside?.items, `${path}.items`, errors);
}

/** `apiVersion`, `kind` and `metadata` are implicit: a schema may declare them, and restrict the name. */
function validateObjectFields(schema: Schema, path: string, level: Level, errors: ErrorList): void {
  const { apiVersion, kind, metadata } = schema.properties ?? {};
  for (const [name, property] of Object.entries({ apiVersion, kind })) {
    if (property !== undefined && property.type !== 'string') {
      errors.invalid(`${path}.properties[${name}].type`, property.type ?? '', 'must be string');
    }
  }
  if (metadata === undefined) return;
  const at = `${path}.properties[metadata]`;
  if (metadata.type !== 'object') errors.invalid(`${at}.type`, metadata.type ?? '', 'must be object');
  const { type: _t, properties = {}, ...rest } = metadata;
  const hasOtherProperties = Object.keys(properties).some((name) => name !== 'name' && name !== 'generateName');
  if (level === 'root' && (hasOtherProperties || Object.keys(rest).length > 0)) {
    const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    errors.forbidden(at, detail);
  }
}
