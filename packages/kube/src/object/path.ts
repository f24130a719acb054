import { isJsonArray, isJsonObject, setOwn } from './json.ts';

/** Thrown for a path that this dialect of JSONPath does not support; reports where parsing stopped. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
}

/** All values that a path selects; empty if a field on the path is missing. */
export type JsonPath = (root: unknown) => unknown[];

type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'filter'; readonly path: readonly Step[]; readonly operator: string; readonly value: unknown };

/**
 * Compiles the JSONPath of printer columns, scale paths and selectable fields: `.spec.replicas`, `.metadata.labels['a.b/c']`,
 * `.metadata.labels.a\.b/c`, `.spec.pools[0].name`, `.items[*].name`, `.status.conditions[?(@.type=="Ready")].status`; braces
 * around it and a leading `$` are allowed. Throws a JsonPathError.
 */
export function compileJsonPath(text: string): JsonPath {
  const trimmed = text.trim();
  const innerPath = trimmed.startsWith('{') && trimmed.endsWith('}') ? trimmed.slice(1, -1) : trimmed;
  const steps = readSteps(innerPath.startsWith('$') ? innerPath.slice(1) : innerPath, text);
  return (root) => select(root, steps);
}

/**
 * The field names of a path without filters (`.spec.replicas`), as used by scale paths and selectable fields. Throws
 * for other paths.
 */
export function fieldNamesOf(text: string): string[] {
  return readSteps(text, text).map((step) => {
    if (step.kind !== 'field') throw new JsonPathError(`path ${JSON.stringify(text)} may only name fields`);
    return step.name;
  });
}

/** The value under the field names; undefined if a field is missing. */
export function getAt(root: unknown, names: readonly string[]): unknown {
  let value = root;
  for (const name of names) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** Sets the value under the field names in place, creating missing parents. */
export function setAt(root: object, names: readonly string[], value: unknown): void {
  let target: object = root;
  for (const name of names.slice(0, -1)) {
    const next = Object.hasOwn(target, name) ? (target as Record<string, unknown>)[name] : undefined;
    const child = isJsonObject(next) ? next : {};
    if (child !== next) setOwn(target, name, child);
    target = child;
  }
  const last = names.at(-1);
  if (last !== undefined) setOwn(target, last, value);
}

const FIELD = /^\.?((?:\\.|[^.[\]\\'"(){}*?@$,\s])+)/;
const QUOTED_FIELD = /^\.?\[(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)")\]/;
const INDEX = /^\.?\[(-?\d+)\]/;
const ALL = /^(?:\.?\[\*\]|\.\*)/;
const FILTER =
  /^\.?\[\?\(\s*@((?:[^=!<>'")\s]|\['[^']*'\])*)\s*(?:(==|!=|<=|>=|<|>)\s*('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^\s)]+)\s*)?\)\]/;

/** Paths contain a few fields, and a label key of at most 317 characters. */
const MAX_PATH_LENGTH = 2048;

function readSteps(text: string, whole: string): Step[] {
  if (text.length > MAX_PATH_LENGTH) {
    throw new JsonPathError(`a JSON path may have ${MAX_PATH_LENGTH} characters, this one has ${text.length}`);
  }
  const steps: Step[] = [];
  let rest = text;
  while (rest !== '' && rest !== '.') {
    const read = readStep(rest, whole);
    steps.push(read.step);
    rest = rest.slice(read.length);
  }
  return steps;
}

function readStep(rest: string, whole: string): { step: Step; length: number } {
  const quoted = QUOTED_FIELD.exec(rest);
  if (quoted) {
    return { step: { kind: 'field', name: unescape(quoted[1] ?? quoted[2] ?? '') }, length: quoted[0].length };
  }
  const index = INDEX.exec(rest);
  if (index) return { step: { kind: 'index', index: Number(index[1]) }, length: index[0].length };
  const all = ALL.exec(rest);
  if (all) return { step: { kind: 'all' }, length: all[0].length };
  const filter = FILTER.exec(rest);
  if (filter) {
    const [matched, path = '', operator = '', literal = ''] = filter;
    const step: Step = { kind: 'filter', path: readSteps(path, whole), operator, value: readLiteral(literal) };
    return { step, length: matched.length };
  }
  const field = FIELD.exec(rest);
  if (field) return { step: { kind: 'field', name: unescape(field[1] ?? '') }, length: field[0].length };
  throw new JsonPathError(`cannot read JSON path ${JSON.stringify(whole)} at ${JSON.stringify(rest)}`);
}

function unescape(text: string): string {
  return text.replaceAll(/\\(.)/g, '$1');
}

function readLiteral(text: string): unknown {
  if (text.startsWith("'") || text.startsWith('"')) return unescape(text.slice(1, -1));
  if (text === 'true' || text === 'false') return text === 'true';
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}

function select(root: unknown, steps: readonly Step[]): unknown[] {
  let values = [root];
  for (const step of steps) {
    values = values.flatMap((value) => stepInto(value, step));
    if (values.length === 0) break;
  }
  return values;
}

function stepInto(value: unknown, step: Step): unknown[] {
  switch (step.kind) {
    case 'field':
      return isJsonObject(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : [];
    case 'index': {
      const item = isJsonArray(value) ? value.at(step.index) : undefined;
      return item === undefined ? [] : [item];
    }
    case 'all':
      return childrenOf(value);
    case 'filter':
      break;
  }
  return childrenOf(value).filter((item) => passes(item, step.path, step.operator, step.value));
}

function childrenOf(value: unknown): unknown[] {
  if (isJsonArray(value)) return [...value];
  return isJsonObject(value) ? Object.values(value) : [];
}

function passes(item: unknown, path: readonly Step[], operator: string, expected: unknown): boolean {
  const [found] = select(item, path);
  switch (operator) {
    case '':
      return found !== undefined;
    case '==':
      return found === expected;
    case '!=':
      return found !== expected;
    default:
      return typeof found === typeof expected && isOrdered(found as number, operator, expected as number);
  }
}

function isOrdered(left: number, operator: string, right: number): boolean {
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    default:
      return left >= right;
  }
}
