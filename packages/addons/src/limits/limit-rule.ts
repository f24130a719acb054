import type { Excess } from '@fairway/api/limits/in-cluster';

/** Objects that a rule applies to. */
export interface RuleTarget {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** Without UPDATE, only new objects are checked. */
  readonly operations: readonly ('CREATE' | 'UPDATE')[];
}

/** A limit of a plan on objects in a cluster. */
export interface LimitRule {
  readonly excess: Excess;
  readonly target: RuleTarget;
  /** A CEL expression that is true for an object beyond the limit, unless the stored object is beyond it in the same way. */
  readonly violation: string;
}

// One policy covers several kinds: each expression applies to one kind, and a type check would report its fields as
// missing in the other kinds.
export const OBJECT = 'dyn(object)';
export const OLD_OBJECT = 'dyn(oldObject)';

/** The violation of a rule that excludes objects for which `isBeyond` is true, except stored ones. */
export function newlyBeyond(isBeyond: (object: string) => string): string {
  return `(${isBeyond(OBJECT)}) && (request.operation == 'CREATE' || !(${isBeyond(OLD_OBJECT)}))`;
}

/** A string literal. */
export function celString(text: string): string {
  const escaped = text.replace(/[\\']/g, '\\$&').replace(/\p{Cc}/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u${code.toString(16).padStart(4, '0')}`;
  });
  return `'${escaped}'`;
}

export function celList(texts: readonly string[]): string {
  return `[${texts.map(celString).join(', ')}]`;
}

/** Whether the text that `value` evaluates to matches a pattern with at most one `*`. */
export function celMatches(value: string, pattern: string): string {
  const [prefix = '', suffix] = pattern.split('*');
  if (suffix === undefined) return `${value} == ${celString(pattern)}`;
  const minLength = Array.from(prefix + suffix).length;
  const conditions = [
    ...(prefix === '' ? [] : [`${value}.startsWith(${celString(prefix)})`]),
    ...(suffix === '' ? [] : [`${value}.endsWith(${celString(suffix)})`]),
    ...(prefix === '' || suffix === '' ? [] : [`size(${value}) >= ${minLength}`]),
  ];
  return conditions.length === 0 ? 'true' : `(${conditions.join(' && ')})`;
}
