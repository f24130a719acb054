import type { FieldError } from '../object/field-error.ts';
import type { KubeObject } from '../object/meta.ts';
import { applyDefaults } from '../schema/defaults.ts';
import { pruneObject, unknownFieldMessage } from '../schema/prune.ts';
import { validateObject } from '../schema/validate.ts';
import type { Core } from './core.ts';
import { reportFields } from './field-validation.ts';
import type { ResourceRequest } from './request.ts';
import { refuse } from './write.ts';

/** Brings a decoded object into its kind's form: unknown fields are dropped and told of, defaults are filled in. */
export function conform(core: Core, request: ResourceRequest, object: KubeObject): void {
  const { schema, strategy } = request.resource.definition;
  reportFields(request, pruneObject(object, schema, core.definitions).map(unknownFieldMessage));
  applyDefaults(object, schema, core.definitions);
  strategy?.default?.(object);
}

export function schemaErrors(
  core: Core,
  request: ResourceRequest,
  object: KubeObject,
  old: KubeObject | undefined,
): FieldError[] {
  return validateObject(object, old, request.resource.definition.schema, core.definitions);
}

/**
 * Runs the hooks of a kind and of admission, which take a well-formed object for granted: where one trips over something else,
 * the schema says what is wrong with it, and that is the answer.
 */
export async function onWellFormed(
  core: Core,
  request: ResourceRequest,
  object: KubeObject,
  hooks: () => Promise<void>,
): Promise<void> {
  try {
    await hooks();
  } catch (error) {
    if (error instanceof TypeError)
      refuse(request, object.metadata.name ?? '', schemaErrors(core, request, object, undefined));
    throw error;
  }
}
