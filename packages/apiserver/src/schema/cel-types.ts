/** The static type of a CEL expression. */
export type CelType =
  | { readonly kind: 'simple'; readonly name: string }
  | { readonly kind: 'list'; readonly item: CelType; readonly parts: number }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType; readonly parts: number }
  | { readonly kind: 'optional'; readonly value: CelType; readonly parts: number }
  /** An object type from a schema or a table of fields; undefined for unknown fields. */
  | { readonly kind: 'object'; readonly name: string; field(name: string): CelType | undefined }
  /** A type parameter of a signature. */
  | { readonly kind: 'param'; readonly name: string };

/** Types that type parameters stand for. */
export type Bindings = Map<string, CelType>;

const simpleTypes = new Map<string, CelType>();

/** A simple type: `int`, `string`, `Quantity`. */
export function simpleType(name: string): CelType {
  let type = simpleTypes.get(name);
  if (type === undefined) {
    type = { kind: 'simple', name };
    simpleTypes.set(name, type);
  }
  return type;
}

export const DYN = simpleType('dyn');
export const BOOL = simpleType('bool');
export const INT = simpleType('int');
export const STRING = simpleType('string');
export const NULL = simpleType('null');

const NON_NULLABLE_TYPES = new Set(['bool', 'int', 'uint', 'double', 'string', 'bytes', 'type']);

/**
 * Types that are larger than this become dynamic: variables that each contain the previous one would have types of
 * unbounded size.
 */
const MAX_PARTS = 64;

/** Number of types within a type, including itself. */
function partsOf(type: CelType): number {
  return 'parts' in type ? type.parts : 1;
}

export function listOf(item: CelType): CelType {
  const parts = 1 + partsOf(item);
  return parts > MAX_PARTS ? DYN : { kind: 'list', item, parts };
}

export function mapOf(key: CelType, value: CelType): CelType {
  const parts = 1 + partsOf(key) + partsOf(value);
  return parts > MAX_PARTS ? DYN : { kind: 'map', key, value, parts };
}

export function optionalOf(value: CelType): CelType {
  if (value.kind === 'optional') return value;
  const parts = 1 + partsOf(value);
  return parts > MAX_PARTS ? DYN : { kind: 'optional', value, parts };
}

/** A type with fixed fields. */
export function objectOf(name: string, fields: Readonly<Record<string, CelType>>): CelType {
  return { kind: 'object', name, field: (field) => (Object.hasOwn(fields, field) ? fields[field] : undefined) };
}

/** Parses a type in the CEL library's signature format: `map<string, list<A>>`. */
export function parseCelType(written: string): CelType {
  const text = written.trim();
  const [, outer, inner = ''] = /^(\w+)<(.+)>$/.exec(text) ?? [];
  switch (outer ?? text) {
    case 'list':
      return listOf(outer === undefined ? DYN : parseCelType(inner));
    case 'optional':
      return optionalOf(outer === undefined ? DYN : parseCelType(inner));
    case 'dyn':
      return DYN;
    case 'map': {
      if (outer === undefined) return mapOf(DYN, DYN);
      // Keys are simple types.
      const comma = inner.indexOf(',');
      return mapOf(parseCelType(inner.slice(0, comma)), parseCelType(inner.slice(comma + 1)));
    }
    default:
      return /^[A-Z]$/.test(text) ? { kind: 'param', name: text } : simpleType(text);
  }
}

/** A type in the format of cel-go's messages. */
export function nameOf(type: CelType): string {
  switch (type.kind) {
    case 'list':
      return `list(${nameOf(type.item)})`;
    case 'map':
      return `map(${nameOf(type.key)}, ${nameOf(type.value)})`;
    case 'optional':
      return `optional_type(${nameOf(type.value)})`;
    case 'simple':
      return type.name.replace(/^google\.protobuf\.(Timestamp|Duration)$/, (_, name: string) => name.toLowerCase());
    case 'object':
    case 'param':
      return type.name;
  }
}

/**
 * Whether a value of type `actual` is assignable to `declared`, as far as can be determined statically. Objects are maps at run time, and are
 * assignable to maps.
 */
export function isAssignable(declared: CelType, actual: CelType, bindings: Bindings): boolean {
  if (declared.kind === 'param') {
    const bound = bindings.get(declared.name);
    if (bound !== undefined && bound !== NULL) return isAssignable(bound, actual, bindings);
    bindings.set(declared.name, actual);
    return bound === undefined || isAssignable(actual, bound, bindings);
  }
  if (declared === DYN || actual === DYN) {
    bindFree(declared, bindings);
    return true;
  }
  if (actual === NULL) return isNullable(declared);
  switch (declared.kind) {
    case 'list':
      return actual.kind === 'list' && isAssignable(declared.item, actual.item, bindings);
    case 'optional':
      return actual.kind === 'optional' && isAssignable(declared.value, actual.value, bindings);
    case 'map':
      if (actual.kind === 'object')
        return isAssignable(declared.key, STRING, bindings) && isAssignable(declared.value, DYN, bindings);
      if (actual.kind !== 'map') return false;
      return isAssignable(declared.key, actual.key, bindings) && isAssignable(declared.value, actual.value, bindings);
    case 'object':
      return actual.kind === 'object' || actual.kind === 'map';
    case 'simple':
      return actual.kind === 'simple' && actual.name === declared.name;
  }
}

/** The parts of a dynamic type are dynamic. */
function bindFree(type: CelType, bindings: Bindings): void {
  switch (type.kind) {
    case 'param':
      if (!bindings.has(type.name)) bindings.set(type.name, DYN);
      return;
    case 'list':
      bindFree(type.item, bindings);
      return;
    case 'optional':
      bindFree(type.value, bindings);
      return;
    case 'map':
      bindFree(type.key, bindings);
      bindFree(type.value, bindings);
      return;
    case 'simple':
    case 'object':
      return;
  }
}

function isNullable(type: CelType): boolean {
  if (type.kind === 'simple') return !NON_NULLABLE_TYPES.has(type.name);
  return type.kind === 'object' || type.kind === 'optional';
}

/** A signature's type with its parameters substituted. */
export function resolved(type: CelType, bindings: Bindings): CelType {
  switch (type.kind) {
    case 'param':
      return bindings.get(type.name) ?? DYN;
    case 'list':
      return listOf(resolved(type.item, bindings));
    case 'optional':
      return optionalOf(resolved(type.value, bindings));
    case 'map':
      return mapOf(resolved(type.key, bindings), resolved(type.value, bindings));
    case 'simple':
    case 'object':
      return type;
  }
}

/** The common type of two types; undefined if they have no common type. */
export function joinTypes(left: CelType, right: CelType): CelType | undefined {
  if (left === DYN || right === DYN) return DYN;
  if (left === NULL) return isNullable(right) ? right : undefined;
  if (!isAssignable(left, right, new Map())) return undefined;
  // Mixed element types, as in `[] : ["a"]`.
  if (left.kind === 'list' && right.kind === 'list') return listOf(joinTypes(left.item, right.item) ?? DYN);
  return left;
}
