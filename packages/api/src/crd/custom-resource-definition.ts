import type { CustomResourceDefinition } from '@fairway/apiserver/crd/types';
import { applyDefaults } from '@fairway/apiserver/schema/defaults';
import type { Definitions, Schema, ValidationRule } from '@fairway/apiserver/schema/schema';
import type { Json } from '@fairway/kube/object/meta';
import type { Kind } from '../kinds/kind.ts';
import { NAME_PATTERN } from '../names.ts';
import { addRule, crossFieldCel, immutabilityCel, transitionCel } from './cel-rules.ts';
import { objectSchema } from './object-schema.ts';

/** The CustomResourceDefinition of a kind, for a management cluster. */
export function customResourceDefinition(kind: Kind): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${kind.group}` },
    spec: {
      group: kind.group,
      scope: kind.namespaced ? 'Namespaced' : 'Cluster',
      names: {
        plural: kind.plural,
        singular: kind.singular,
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        ...(kind.shortNames.length > 0 && { shortNames: [...kind.shortNames] }),
        categories: ['fairway'],
      },
      versions: [
        {
          name: kind.version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: enforcedSchema(kind) },
          subresources: {
            ...(kind.status && { status: {} }),
            ...(kind.scale && { scale: { ...kind.scale } }),
          },
          additionalPrinterColumns: kind.columns.map((column) => ({
            name: column.name,
            type: column.type,
            jsonPath: column.value,
            ...(column.description !== undefined && { description: column.description }),
            ...(column.priority !== undefined && { priority: column.priority }),
          })),
        },
      ],
    },
  };
}

/** The format `cidr` alone allows host bits. */
const NETWORK_CEL = 'isCIDR(self) && cidr(self) == cidr(self).masked()';

/** The schema with everything that an API server without Fairway's admission must enforce itself. */
function enforcedSchema(kind: Kind): Schema {
  const object = withWholeDefaults(withPatternRules(objectSchema(kind)));
  let schema: Schema = { ...object, properties: { ...object.properties, metadata: metadataSchema(kind) } };
  for (const path of kind.immutable)
    schema = addRule(schema, parentOf(path), immutabilityCel(path, kind.immutableHints?.[path]));
  for (const rule of kind.rules) schema = addRule(schema, rule.path, crossFieldCel(rule));
  for (const rule of kind.transitions ?? []) schema = addRule(schema, '', transitionCel(rule));
  return schema;
}

/** An API server allows no schema for metadata except for the name, not even a description. */
function metadataSchema({ nameMaxLength }: Kind): Schema {
  if (nameMaxLength === undefined) return { type: 'object' };
  return {
    type: 'object',
    properties: { name: { type: 'string', maxLength: nameMaxLength, pattern: NAME_PATTERN.source } },
  };
}

/** Rules are evaluated on a default as written: the default of an object lists the defaults of its fields. */
function withWholeDefaults(schema: Schema): Schema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, level]) => [name, withWholeDefaults(level)]);
  return {
    ...schema,
    ...(schema.properties && { properties: Object.fromEntries(properties) }),
    ...(schema.items && { items: withWholeDefaults(schema.items) }),
    ...(schema.default !== undefined && { default: defaulted(schema.default, schema) }),
  };
}

/** A CRD's schema can't contain references. */
const NO_DEFINITIONS: Definitions = new Map();

function defaulted(value: Json, schema: Schema): Json {
  const copy = structuredClone(value);
  if (typeof copy === 'object' && copy !== null) applyDefaults(copy, schema, NO_DEFINITIONS);
  return copy;
}

/** Patterns as rules: of a pattern, an API server answers with the expression alone, and of a rule with its words. */
function withPatternRules(schema: Schema): Schema {
  const { 'x-pattern-message': message, ...rest }: { -readonly [K in keyof Schema]: Schema[K] } = schema;
  // To a rule, the text of this format is a time already; the API server answers with the format's name.
  const pattern = schema.format === 'date-time' ? undefined : schema.pattern;
  if (pattern !== undefined) delete rest.pattern;
  const properties = Object.entries(schema.properties ?? {}).map(([name, level]) => [name, withPatternRules(level)]);
  const { additionalProperties: values } = schema;
  return {
    ...rest,
    ...(schema.properties && { properties: Object.fromEntries(properties) }),
    ...(schema.items && { items: withPatternRules(schema.items) }),
    ...(typeof values === 'object' && { additionalProperties: withPatternRules(values) }),
    ...(pattern !== undefined &&
      message !== undefined && { 'x-kubernetes-validations': [patternRule(pattern, message, schema.format)] }),
  };
}

function patternRule(pattern: string, message: string, format: string | undefined): ValidationRule {
  const matches = `self.matches(${JSON.stringify(pattern)})`;
  return { rule: format === 'cidr' ? `${matches} && ${NETWORK_CEL}` : matches, message };
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('.'));
}
