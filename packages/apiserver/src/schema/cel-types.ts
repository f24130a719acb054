/** The static type of a CEL expression. */
export type CelType =
  | { readonly kind: 'simple'; readonly name: string }
  | { readonly kind: 'list'; readonly item: CelType; readonly parts: number }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType; readonly parts: number }
  | { readonly kind: 'optional'; readonly value: CelType; readonly parts: number }
  /** What a schema or a table of fields describes; undefined for a field that it does not have. */
  | { readonly kind: 'object'; readonly name: string; field(name: string): CelType | undefined }
  /** A parameter of a signature: one type wherever the signature names it. */
  | { readonly kind: 'param'; readonly name: string };

/** Types by the parameters that stand for them. */
export type Bindings = Map<string, CelType>;

const simples = new Map<string, CelType>();

/** A type that has no parts: `int`, `string`, `Quantity`. */
export function simple(name: string): CelType {
  let type = simples.get(name);
  if (type === undefined) {
    type = { kind: 'simple', name };
    simples.set(name, type);
  }
  return type;
}

export const DYN = simple('dyn');
export const BOOL = simple('bool');
export const INT = simple('int');
export const STRING = simple('string');
export const NULL = simple('null');

const UNNULLABLE = new Set(['bool', 'int', 'uint', 'double', 'string', 'bytes', 'type']);

/** Of what has more parts nothing is known: variables that each hold the one before would have types of any size. */
const MAX_PARTS = 64;

/** How many types a type is made of, itself included. */
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

/** A type of fixed fields. */
export function objectOf(name: string, fields: Readonly<Record<string, CelType>>): CelType {
  return { kind: 'object', name, field: (field) => (Object.hasOwn(fields, field) ? fields[field] : undefined) };
}

/** Reads a type as the CEL library writes it in signatures: `map<string, list<A>>`. */
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
      // Keys have no parts.
      const comma = inner.indexOf(',');
      return mapOf(parseCelType(inner.slice(0, comma)), parseCelType(inner.slice(comma + 1)));
    }
    default:
      return /^[A-Z]$/.test(text) ? { kind: 'param', name: text } : simple(text);
  }
}

/** A type in the words of cel-go's messages. */
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
 * Whether a value of type `actual` may stand where `declared` is wanted, as far as can be told before it is there. Objects are maps when expressions
 * run, and fit where one is wanted.
 */
export function fits(declared: CelType, actual: CelType, bindings: Bindings): boolean {
  if (declared.kind === 'param') {
    const bound = bindings.get(declared.name);
    if (bound !== undefined && bound !== NULL) return fits(bound, actual, bindings);
    bindings.set(declared.name, actual);
    return bound === undefined || fits(actual, bound, bindings);
  }
  if (declared === DYN || actual === DYN) {
    bindFree(declared, bindings);
    return true;
  }
  if (actual === NULL) return isNullable(declared);
  switch (declared.kind) {
    case 'list':
      return actual.kind === 'list' && fits(declared.item, actual.item, bindings);
    case 'optional':
      return actual.kind === 'optional' && fits(declared.value, actual.value, bindings);
    case 'map':
      if (actual.kind === 'object') return fits(declared.key, STRING, bindings) && fits(declared.value, DYN, bindings);
      if (actual.kind !== 'map') return false;
      return fits(declared.key, actual.key, bindings) && fits(declared.value, actual.value, bindings);
    case 'object':
      return actual.kind === 'object' || actual.kind === 'map';
    case 'simple':
      return actual.kind === 'simple' && actual.name === declared.name;
  }
}

/** Of what nothing is known, nothing is known about its parts. */
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
  if (type.kind === 'simple') return !UNNULLABLE.has(type.name);
  return type.kind === 'object' || type.kind === 'optional';
}

/** A type of a signature with what its parameters stand for. */
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

/** The type of what is one or the other; undefined where no type is both. */
export function joined(left: CelType, right: CelType): CelType | undefined {
  if (left === DYN || right === DYN) return DYN;
  if (left === NULL) return isNullable(right) ? right : undefined;
  if (!fits(left, right, new Map())) return undefined;
  // `[] : ["a"]`.
  if (left.kind === 'list' && right.kind === 'list') return listOf(joined(left.item, right.item) ?? DYN);
  return left;
}
