import { ApiError } from '@fairway/kube/object/api-error';
import { type FieldError, invalid } from '@fairway/kube/object/field-error';
import type { KubeObject } from '@fairway/kube/object/meta';
import { applyDefaults } from '../schema/defaults.ts';
import { pruneObject, unknownFieldMessage } from '../schema/prune.ts';
import { blocksRules, validateObject } from '../schema/validate.ts';
import type { Core } from './core.ts';
import { reportFields } from './field-validation.ts';
import type { ResourceRequest } from './request.ts';
import type { CustomSubresource } from './resource.ts';
import { refuse } from './write.ts';

/** Normalises a decoded object: unknown fields are dropped and reported, defaults are set. */
export function conform(core: Core, request: ResourceRequest, object: KubeObject): void {
  const { custom = false } = request.resource.definition;
  reportFields(request, normalize(core, request, object).map(unknownFieldMessage), { waitingFirst: custom });
}

/** The same without reporting to the client; returns the unknown fields. */
export function normalize(core: Core, request: ResourceRequest, object: KubeObject): ReturnType<typeof pruneObject> {
  const { schema, strategy, custom } = request.resource.definition;
  const unknown = pruneObject(object, schema, core.definitions);
  // In built-in schemas, defaults define the item keys for apply; the kind's own code decides when a default is
  // set.
  if (custom) applyDefaults(object, schema, core.definitions);
  strategy?.default?.(object);
  return unknown;
}

export function schemaErrors(
  core: Core,
  request: ResourceRequest,
  object: KubeObject,
  old: KubeObject | undefined,
): FieldError[] {
  const { schema, custom = false } = request.resource.definition;
  return validateObject(object, old, schema, core.definitions, { isRatcheting: custom });
}

/**
 * Errors from the metadata, the schema and the kind's own rules. For built-in kinds upstream has only the rules: their
 * errors replace the schema's for the same field, and lists may contain duplicates unless a rule forbids them (two
 * ports with the same number).
 */
export function allErrors(
  request: ResourceRequest,
  metadataFieldErrors: readonly FieldError[],
  schemaFieldErrors: readonly FieldError[],
  kindFieldErrors: readonly FieldError[],
): FieldError[] {
  // A kind that restricts names has its own message.
  const isNamed = kindFieldErrors.some(({ field }) => field === 'metadata.name');
  const metadata = metadataFieldErrors.filter(({ field }) => !isNamed || field !== 'metadata.name');
  return [...metadata, ...withoutDuplicates(request, schemaFieldErrors, kindFieldErrors)];
}

function withoutDuplicates(
  request: ResourceRequest,
  schemaFieldErrors: readonly FieldError[],
  kindFieldErrors: readonly FieldError[],
): FieldError[] {
  if (request.resource.definition.custom) {
    // As with the rules of a CustomResourceDefinition, but each error is reported once.
    if (schemaFieldErrors.some(blocksRules)) return [...schemaFieldErrors];
    const reported = new Set(schemaFieldErrors.map(({ field }) => field));
    return [...schemaFieldErrors, ...kindFieldErrors.filter(({ field }) => !reported.has(field))];
  }
  // The rules assume values of the right type.
  if (schemaFieldErrors.some(({ type }) => type === 'FieldValueTypeInvalid')) return [...schemaFieldErrors];
  const fields = new Set(kindFieldErrors.map(({ field }) => field));
  const rest = schemaFieldErrors.filter(({ type, field }) => type !== 'FieldValueDuplicate' && !fields.has(field));
  return [...rest, ...kindFieldErrors];
}

/**
 * Errors from the schema; if there are none, errors from the kind's own rules: for a schema, a quantity is an ordinary
 * string.
 */
function errorsOf(core: Core, request: ResourceRequest, object: KubeObject): readonly FieldError[] {
  const errors = schemaErrors(core, request, object, undefined);
  if (errors.length > 0) return errors;
  return request.resource.definition.strategy?.validate?.(object, undefined) ?? [];
}

/**
 * Runs the hooks of a kind and of admission, which assume a well-formed object. If a hook throws on a malformed object,
 * the response contains the schema's errors.
 */
export async function runHooks(
  core: Core,
  request: ResourceRequest,
  object: KubeObject,
  hooks: () => Promise<void>,
): Promise<void> {
  try {
    await hooks();
  } catch (error) {
    if (!(error instanceof ApiError)) refuse(request, object.metadata.name ?? '', errorsOf(core, request, object));
    throw error;
  }
}

/**
 * Checks the body of a subresource in the same way. A body of the resource's own kind is normalised first, as
 * upstream does.
 */
export async function runBodyHooks<T>(
  core: Core,
  request: ResourceRequest,
  { kind, schema }: Pick<CustomSubresource, 'kind' | 'schema'>,
  body: KubeObject,
  hooks: () => Promise<T>,
): Promise<T> {
  const { resource, name } = request;
  const isOwn = kind.kind === resource.kind && kind.group === resource.group;
  try {
    if (isOwn) conform(core, request, body);
    return await hooks();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (isOwn) refuse(request, name, errorsOf(core, request, body));
    const errors = isOwn || schema === undefined ? [] : validateObject(body, undefined, schema, core.definitions);
    throw errors.length > 0 ? invalid(kind, name, errors) : error;
  }
}
