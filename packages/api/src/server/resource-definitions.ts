import type { ResourceDefinition } from '@fairway/apiserver/server/resource';
import type { KubeObject } from '@fairway/kube/object/meta';
import { objectSchema } from '../crd/object-schema.ts';
import type { Kind } from '../kinds/kind.ts';
import { ruleErrors, transitionErrors } from '../validation/object-rules.ts';

/**
 * How the embedded API server serves the kind: what a CRD says, with the rules that a CRD writes in CEL as functions,
 * which are quicker and can name the old value.
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
      // The server hands over objects of the kind that this definition is for, already checked against its schema.
      validate: (object, old) => ruleErrors(kind, object as T, old as T | undefined),
      validateStatus: (object, old) => transitionErrors(kind, object as T, old as T),
    },
  };
}
