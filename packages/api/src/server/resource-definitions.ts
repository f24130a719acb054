import type { ResourceDefinition } from '@fairway/apiserver/server/resource';
import type { KubeObject } from '@fairway/kube/object/meta';
import { objectSchema } from '../crd/object-schema.ts';
import type { Kind } from '../kinds/kind.ts';
import { ruleErrors, transitionErrors } from '../validation/object-rules.ts';

/**
 * The kind's definition for the embedded API server: like the CRD, but its rules are functions instead of CEL.
 * Functions are faster and can quote the old value.
 */
export function resourceDefinition<T extends KubeObject>(kind: Kind<T>): ResourceDefinition {
  return {
    group: kind.group,
    version: kind.version,
    plural: kind.plural,
    kind: kind.kind,
    namespaced: kind.namespaced,
    singular: kind.singular,
    shortNames: kind.shortNames,
    categories: ['fairway'],
    custom: true,
    schema: objectSchema(kind),
    hasStatus: kind.status !== undefined,
    ...(kind.scale && { scale: kind.scale }),
    columns: kind.columns,
    strategy: {
      ...(kind.initialStatus && {
        prepareForCreate: (object) => Object.assign(object, { status: structuredClone(kind.initialStatus) }),
      }),
      // The server passes objects of this definition's kind, already validated against its schema.
      validate: (object, old) => ruleErrors(kind, object as T, old as T | undefined),
      validateStatus: (object, old) => transitionErrors(kind, object as T, old as T),
    },
  };
}
