import type { FieldError } from '@fairway/kube/object/field-error';
import { dns1035LabelErrors, dns1123SubdomainErrors } from '@fairway/kube/object/names';
import { compileJsonPath, fieldNamesOf, JsonPathError } from '@fairway/kube/object/path';
import type { Schema } from '../schema/schema.ts';
import { conversionErrors } from './conversion-validation.ts';
import { ErrorList } from './error-list.ts';
import { validateStructuralSchema } from './structural-schema.ts';
import type { CrdColumn, CrdNames, CrdSpec, CrdVersion, CustomResourceDefinition } from './types.ts';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const MAX_SELECTABLE_FIELDS = 8;

/** Validates a CustomResourceDefinition beyond its schema, with the messages of apiextensions. `old` is undefined on create. */
export function validateDefinition(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  { conversionWebhooks = false }: { readonly conversionWebhooks?: boolean } = {},
): FieldError[] {
  const errors = new ErrorList();
  const { spec } = crd;
  const name = `${spec.names.plural}.${spec.group}`;
  if (crd.metadata.name !== name) {
    errors.invalid('metadata.name', crd.metadata.name ?? '', 'must be spec.names.plural+"."+spec.group');
  }
  validateGroup(spec.group, errors);
  if (spec.scope !== 'Namespaced' && spec.scope !== 'Cluster') {
    errors.notSupported('spec.scope', spec.scope, ['Cluster', 'Namespaced']);
  }
  validateNames(spec.names, errors);
  if (conversionWebhooks) errors.list.push(...conversionErrors('spec.conversion', spec.conversion));
  else validateConversion(spec, errors);
  if (spec.preserveUnknownFields) {
    const detail =
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
    errors.invalid('spec.preserveUnknownFields', true, detail);
  }
  validateVersions(spec.versions, errors);
  if (old !== undefined) validateChange(crd, old, errors);
  return errors.list;
}

function validateGroup(group: string, errors: ErrorList): void {
  const wrong = dns1123SubdomainErrors(group);
  if (group === '') errors.required('spec.group');
  else if (wrong.length > 0) errors.invalid('spec.group', group, wrong.join(','));
  else if (!group.includes('.')) errors.invalid('spec.group', group, 'should be a domain with at least one dot');
}

function validateNames(names: CrdNames, errors: ErrorList): void {
  const { plural, singular = '', kind, listKind = '', shortNames = [], categories = [] } = names;
  const label = (field: string, value: string, prefix = '') => {
    const wrong = dns1035LabelErrors(prefix === '' ? value : value.toLowerCase());
    if (wrong.length > 0) errors.invalid(`spec.names.${field}`, value, prefix + wrong.join(','));
  };
  for (const [field, value] of Object.entries({ plural, singular, kind, listKind })) {
    if (value === '') errors.required(`spec.names.${field}`);
    else
      label(
        field,
        value,
        field.toLowerCase().endsWith('kind') ? 'may have mixed case, but should otherwise match: ' : '',
      );
  }
  for (const [index, value] of shortNames.entries()) label(`shortNames[${index}]`, value);
  for (const [index, value] of categories.entries()) label(`categories[${index}]`, value);
  if (kind !== '' && kind === listKind) {
    errors.invalid('spec.names.listKind', listKind, 'kind and listKind may not be the same');
  }
}

function validateConversion({ conversion }: CrdSpec, errors: ErrorList): void {
  const strategy = conversion?.strategy ?? 'None';
  if (strategy === 'None') return;
  if (strategy === 'Webhook') {
    const detail = 'conversion webhooks are not supported by this server: versions may differ only in apiVersion';
    errors.invalid('spec.conversion.strategy', strategy, detail);
  } else errors.notSupported('spec.conversion.strategy', strategy, ['None']);
}

function validateVersions(versions: readonly CrdVersion[], errors: ErrorList): void {
  for (const [index, version] of versions.entries()) validateVersion(version, `spec.versions[${index}]`, errors);
  const names = versions.map(({ name }) => name);
  if (new Set(names).size < names.length) {
    errors.invalid('spec.versions', names, 'must contain unique version names');
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    errors.invalid('spec.versions', names, 'must have exactly one version marked as storage version');
  }
}

function validateVersion(version: CrdVersion, path: string, errors: ErrorList): void {
  const wrong = dns1035LabelErrors(version.name);
  if (wrong.length > 0) errors.invalid(`${path}.name`, version.name, wrong.join(','));
  if (version.deprecationWarning !== undefined && version.deprecated !== true) {
    const detail = 'can only be set for deprecated versions';
    errors.invalid(`${path}.deprecationWarning`, version.deprecationWarning, detail);
  }
  const schema = version.schema?.openAPIV3Schema;
  const schemaPath = `${path}.schema.openAPIV3Schema`;
  if (schema === undefined) errors.required(schemaPath);
  else errors.list.push(...validateStructuralSchema(schema, schemaPath));
  for (const [index, column] of (version.additionalPrinterColumns ?? []).entries()) {
    validateColumn(column, `${path}.additionalPrinterColumns[${index}]`, errors);
  }
  validateScale(version, path, errors);
  validateSelectableFields(version, schema, `${path}.selectableFields`, errors);
}

function validateColumn({ name, type, format, jsonPath }: CrdColumn, path: string, errors: ErrorList): void {
  if (name === '') errors.required(`${path}.name`);
  if (!COLUMN_TYPES.includes(type)) errors.invalid(`${path}.type`, type, `must be one of ${COLUMN_TYPES.join(',')}`);
  if (format !== undefined && format !== '' && !COLUMN_FORMATS.includes(format)) {
    errors.invalid(`${path}.format`, format, `must be one of ${COLUMN_FORMATS.join(',')}`);
  }
  const wrong = jsonPathError(jsonPath, compileJsonPath);
  if (wrong !== undefined) errors.invalid(`${path}.jsonPath`, jsonPath, wrong);
}

function validateScale({ subresources }: CrdVersion, path: string, errors: ErrorList): void {
  const scale = subresources?.scale;
  if (scale === undefined) return;
  const check = (field: string, value: string, allowedPrefixes: readonly string[], rule: string) => {
    const at = `${path}.subresources.scale.${field}`;
    const wrong = jsonPathError(value, fieldNamesOf);
    if (wrong !== undefined) errors.invalid(at, value, wrong);
    else if (!allowedPrefixes.some((root) => value.startsWith(root)))
      errors.invalid(at, value, `should be a json path under ${rule}`);
  };
  check('specReplicasPath', scale.specReplicasPath, ['.spec.'], '.spec');
  check('statusReplicasPath', scale.statusReplicasPath, ['.status.'], '.status');
  if (scale.labelSelectorPath) {
    check('labelSelectorPath', scale.labelSelectorPath, ['.spec.', '.status.'], 'either .spec or .status');
  }
}

function validateSelectableFields(
  { selectableFields = [] }: CrdVersion,
  schema: Schema | undefined,
  path: string,
  errors: ErrorList,
): void {
  const seen = new Set<string>();
  for (const [index, { jsonPath }] of selectableFields.entries()) {
    const at = `${path}[${index}].jsonPath`;
    const wrong = jsonPathError(jsonPath, fieldNamesOf);
    if (wrong !== undefined) {
      errors.invalid(at, jsonPath, `is an invalid path: ${wrong}`);
      continue;
    }
    const names = fieldNamesOf(jsonPath);
    const found = names.reduce<Schema | undefined>((level, name) => level?.properties?.[name], schema);
    if (names[0] === 'metadata') errors.invalid(at, jsonPath, 'must not point to fields in metadata');
    else if (found === undefined) errors.invalid(at, jsonPath, 'is an invalid path: does not refer to a valid field');
    else if (found.type === undefined || !['string', 'boolean', 'integer'].includes(found.type)) {
      const detail =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      errors.invalid(at, jsonPath, detail);
    }
    if (seen.has(jsonPath)) errors.list.push({ type: 'FieldValueDuplicate', field: at, value: jsonPath, detail: '' });
    seen.add(jsonPath);
  }
  if (seen.size > MAX_SELECTABLE_FIELDS) {
    const detail = `must have at most ${MAX_SELECTABLE_FIELDS} items`;
    errors.list.push({ type: 'FieldValueTooMany', field: path, value: seen.size, detail });
  }
}

function jsonPathError(path: string, read: (path: string) => unknown): string | undefined {
  if (path === '') return 'must not be empty';
  if (!path.startsWith('.')) return 'must be a simple json path starting with .';
  try {
    read(path);
    return undefined;
  } catch (error) {
    if (error instanceof JsonPathError) return error.message;
    throw error;
  }
}

function validateChange(crd: CustomResourceDefinition, old: CustomResourceDefinition, errors: ErrorList): void {
  const isEstablished = old.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True');
  if (isEstablished) {
    if (crd.spec.scope !== old.spec.scope) errors.invalid('spec.scope', crd.spec.scope, 'field is immutable');
    if (crd.spec.names.kind !== old.spec.names.kind) {
      errors.invalid('spec.names.kind', crd.spec.names.kind, 'field is immutable');
    }
  }
  const versions = new Set(crd.spec.versions.map(({ name }) => name));
  for (const [index, name] of (old.status?.storedVersions ?? []).entries()) {
    if (versions.has(name)) continue;
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes it from status.storedVersions`;
    errors.invalid(`status.storedVersions[${index}]`, name, detail);
  }
}
