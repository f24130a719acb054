import { jsonEqual } from '@fairway/kube/object/json';

const MAX_FIELDS = 5;
const MAX_VALUE_LENGTH = 60;

/** Describes the differences: `replicas 3 → 5, template.spec.taints`. At most five fields. */
export function changesBetween(old: object, changed: object): string {
  const all = [...differences(old, changed, '')];
  const more = all.length > MAX_FIELDS ? [`${all.length - MAX_FIELDS} more`] : [];
  return [...all.slice(0, MAX_FIELDS), ...more].join(', ');
}

function* differences(old: object, changed: object, prefix: string): Generator<string> {
  const before = old as Readonly<Record<string, unknown>>;
  const after = changed as Readonly<Record<string, unknown>>;
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [previousValue, is] = [before[name], after[name]];
    if (jsonEqual(previousValue ?? null, is ?? null)) continue;
    if (isRecord(previousValue) && isRecord(is)) yield* differences(previousValue, is, `${prefix}${name}.`);
    else yield `${prefix}${name}${describeChange(previousValue, is)}`;
  }
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Shows both values if they are strings, numbers or booleans of limited length; otherwise empty. */
function describeChange(previousValue: unknown, is: unknown): string {
  const [old, now] = [describeValue(previousValue), describeValue(is)];
  return old === undefined || now === undefined ? '' : ` ${old} → ${now}`;
}

function describeValue(value: unknown = 'none'): string | undefined {
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  const text = isPlain ? String(value) : undefined;
  return text !== undefined && text.length <= MAX_VALUE_LENGTH ? text : undefined;
}
