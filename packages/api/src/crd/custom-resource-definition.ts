import type { CustomResourceDefinition } from '@fairway/apiserver/crd/types';
import { applyDefaults } from '@fairway/apiserver/schema/defaults';
import type { Definitions, Schema, ValidationRule } from '@fairway/apiserver/schema/schema';
import type { Json } from '@fairway/kube/object/meta';
import type { Kind } from '../kinds/kind.ts';
import { NAME_MESSAGE, NAME_PATTERN, nameTooLongMessage } from '../names.ts';
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

/**
 * Rules for a format, in addition to its pattern. The format itself would be reported along with the message, and
 * allows host bits in networks.
 */
const FORMAT_CEL: Readonly<Record<string, string>> = {
  // kube-apiserver 1.31 treats the cost of comparing two networks as unbounded.
  cidr: 'isCIDR(self) && string(cidr(self).masked()) == self',
  ipv4: 'isIP(self)',
  // A nonexistent day makes the conversion fail, and with it the rule.
  'date-time': 'timestamp(self) == timestamp(self)',
};

/** The schema with everything that an API server must enforce itself when Fairway's admission is not in front of it. */
function enforcedSchema(kind: Kind): Schema {
  const object = withCompleteDefaults(withPatternRules(withInitialStatus(kind, objectSchema(kind))));
  let schema: Schema = { ...object, properties: { ...object.properties, metadata: metadataSchema(kind) } };
  for (const rule of nameRules(kind)) schema = addRule(schema, '', rule);
  for (const path of kind.immutable) {
    const rule = immutabilityCel(path, levelAt(object, path));
    schema = addRule(schema, parentOf(path), rule);
  }
  for (const rule of kind.rules) schema = addRule(schema, rule.path, crossFieldCel(rule));
  for (const rule of kind.transitions ?? []) schema = addRule(schema, '', transitionCel(rule));
  return schema;
}

/** The status is dropped on create; the default status is shown until a controller writes one. */
function withInitialStatus({ initialStatus }: Kind, schema: Schema): Schema {
  const { status } = schema.properties ?? {};
  if (initialStatus === undefined || status === undefined) return schema;
  return { ...schema, properties: { ...schema.properties, status: { ...status, default: initialStatus } } };
}

/** API servers allow metadata schemas only for the name, so errors in metadata are reported by rules. */
function metadataSchema({ nameMaxLength }: Kind): Schema {
  return { type: 'object', ...(nameMaxLength !== undefined && { properties: { name: { type: 'string' } } }) };
}

/** Names are validated by rules, which have messages; a schema would only report the pattern. */
function nameRules({ nameMaxLength }: Kind): readonly ValidationRule[] {
  if (nameMaxLength === undefined) return [];
  const name = 'self.metadata.name';
  const fieldPath = '.metadata.name';
  return [
    { rule: `size(${name}) <= ${nameMaxLength}`, message: nameTooLongMessage(nameMaxLength), fieldPath },
    { rule: `${name}.matches(${JSON.stringify(NAME_PATTERN.source)})`, message: NAME_MESSAGE, fieldPath },
  ];
}

/** Rules are evaluated against a default as written: the default of an object includes the defaults of its fields. */
function withCompleteDefaults(schema: Schema): Schema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, level]) => [
    name,
    withCompleteDefaults(level),
  ]);
  return {
    ...schema,
    ...(schema.properties && { properties: Object.fromEntries(properties) }),
    ...(schema.items && { items: withCompleteDefaults(schema.items) }),
    ...(schema.default !== undefined && { default: withDefaults(schema.default, schema) }),
  };
}

/** A CRD's schema can't contain references. */
const NO_DEFINITIONS: Definitions = new Map();

function withDefaults(value: Json, schema: Schema): Json {
  const copy = structuredClone(value);
  if (typeof copy === 'object' && copy !== null) applyDefaults(copy, schema, NO_DEFINITIONS);
  return copy;
}

/**
 * Patterns are expressed as rules: for a pattern, an API server only quotes the regular expression; for a rule, it
 * returns the message.
 */
function withPatternRules(schema: Schema): Schema {
  const { 'x-pattern-message': message, ...rest }: { -readonly [K in keyof Schema]: Schema[K] } = schema;
  const { pattern } = schema;
  if (pattern !== undefined) {
    delete rest.pattern;
    delete rest.format;
  }
  const properties = Object.entries(schema.properties ?? {}).map(([name, level]) => [name, withPatternRules(level)]);
  const { additionalProperties: values } = schema;
  return {
    ...rest,
    ...(schema.properties && { properties: Object.fromEntries(properties) }),
    ...(schema.items && { items: withPatternRules(schema.items) }),
    ...(typeof values === 'object' && { additionalProperties: withPatternRules(values) }),
    ...(pattern !== undefined &&
      message !== undefined && { 'x-kubernetes-validations': [patternRule(pattern, message, schema)] }),
  };
}

function patternRule(pattern: string, message: string, schema: Schema): ValidationRule {
  const { format } = schema;
  const text = `self.matches(${JSON.stringify(pattern)})`;
  const matches = schema['x-kubernetes-int-or-string'] ? `type(self) == int || ${text}` : text;
  const formatRule = FORMAT_CEL[format ?? ''];
  return { rule: formatRule === undefined ? matches : `${matches} && ${formatRule}`, message };
}

function levelAt(schema: Schema, path: string): Schema {
  return path.split('.').reduce<Schema>((level, name) => level.properties?.[name] ?? {}, schema);
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('.'));
}
