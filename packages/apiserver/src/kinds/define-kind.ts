import type { FieldError } from '@fairway/kube/object/field-error';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import type { PrinterColumn, RequestContext, ResourceDefinition, ResourceStrategy } from '../server/resource.ts';
import { builtinDefinitions } from './definitions.ts';

/** A ResourceStrategy for objects of one type; the server calls it only with objects of that kind. */
export interface KindStrategy<T extends KubeObject>
  extends Pick<
    ResourceStrategy,
    'allowUnconditionalUpdate' | 'orphansDependents' | 'statusWritesMetadata' | 'nameErrors'
  > {
  default?(object: T): void;
  prepareForCreate?(object: T, context: RequestContext): void;
  prepareForUpdate?(object: T, old: T, context: RequestContext): void;
  validate?(object: T, old: T | undefined): FieldError[];
  validateStatus?(object: T, old: T): FieldError[];
  warnings?(object: T): string[];
  gracePeriodSeconds?(object: T, requested: number | undefined): number;
}

/** A PrinterColumn with a function for objects of one type. */
export interface KindColumn<T extends KubeObject> extends Omit<PrinterColumn, 'value'> {
  readonly value: string | ((object: T, nowMs: number) => string | number | boolean | undefined);
}

export interface KindOptions<T extends KubeObject>
  extends Omit<ResourceDefinition, keyof ResourceType | 'schema' | 'strategy' | 'columns'> {
  /** Name of the kind's generated definition. */
  readonly definition: string;
  readonly strategy?: KindStrategy<T>;
  readonly columns?: readonly KindColumn<T>[];
}

/** The definition of a built-in kind, with the generated schema with that name. */
export function defineKind<T extends KubeObject>(type: ResourceType<T>, options: KindOptions<T>): ResourceDefinition {
  const { definition, strategy, columns, ...rest } = options;
  return {
    ...type,
    ...rest,
    singular: type.kind.toLowerCase(),
    schema: { $ref: definition },
    strategy: withSpec(definition, strategy),
    ...(columns && { columns: columns as readonly PrinterColumn[] }),
  };
}

/** If a kind has a spec, every object gets one, even if empty: the field is not a pointer upstream. */
function withSpec(definition: string, strategy: ResourceStrategy = {}): ResourceStrategy {
  return {
    // Upstream's status strategies for these kinds protect only the spec, not metadata: kube-controller-manager relies
    // on that to count revisions.
    statusWritesMetadata: true,
    ...strategy,
    default(object: KubeObject & { spec?: object }) {
      if (object.spec === undefined && builtinDefinitions().get(definition)?.properties?.['spec']) object.spec = {};
      strategy.default?.(object);
    },
  };
}
