import type { Schema } from '@fairway/apiserver/schema/schema';

export interface Field {
  /** Path from the root of the object; `[]` stands for each item of a list, `{}` for each value of a map. */
  readonly path: string;
  /** For example `string`, `integer[]` or `map of string`, with constraints on the values. */
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
}

/** All fields below a schema, depth first, in schema order. */
export function fieldsOf(schema: Schema, path: string): readonly Field[] {
  const required = new Set(schema.required);
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const field = `${path}.${name}`;
    const { description = '' } = property;
    return [
      { path: field, type: typeOf(property), isRequired: required.has(name), description },
      ...fieldsOf(property, field),
    ];
  });
  const { items, additionalProperties: values } = schema;
  return [
    ...own,
    ...(items ? fieldsOf(items, `${path}[]`) : []),
    ...(typeof values === 'object' ? fieldsOf(values, `${path}{}`) : []),
  ];
}

function typeOf(schema: Schema): string {
  const { items, additionalProperties: values } = schema;
  if (items) return `${typeOf(items)}[]`;
  if (typeof values === 'object') return `map of ${typeOf(values)}`;
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(', ');
  const name = schema['x-kubernetes-int-or-string'] ? 'integer or string' : (schema.format ?? schema.type ?? 'any');
  return `${name}${rangeOf(schema)}`;
}

function rangeOf({ type, minimum, maximum }: Schema): string {
  if (type === 'string' || (minimum === undefined && maximum === undefined)) return '';
  if (minimum === undefined) return `, at most ${maximum}`;
  return maximum === undefined ? `, at least ${minimum}` : `, ${minimum} to ${maximum}`;
}
