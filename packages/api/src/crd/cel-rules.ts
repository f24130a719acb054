import type { Schema, ValidationRule } from '@fairway/apiserver/schema/schema';
import type { CrossFieldRule, TransitionRule } from '../kinds/kind.ts';

export const IMMUTABLE_DETAIL = 'cannot be changed after creation';

/**
 * The rule that makes the field at `path` immutable, including its absence. It is placed on the field's parent: a rule
 * on the field itself is not evaluated if the field is added or removed.
 */
export function immutabilityCel(path: string, schema: Pick<Schema, 'type' | 'items'>): ValidationRule {
  const field = path.slice(path.lastIndexOf('.') + 1);
  const previousValue = previousValueCel(field, schema);
  return {
    rule: `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
    message: IMMUTABLE_DETAIL,
    ...(previousValue !== undefined && { messageExpression: `'${IMMUTABLE_DETAIL}: ' + ${previousValue}` }),
    fieldPath: `.${field}`,
    reason: 'FieldValueForbidden',
  };
}

/** The previous value, phrased as in `immutableErrors`; undefined if CEL cannot format it at a bounded cost. */
function previousValueCel(field: string, { type, items }: Pick<Schema, 'type' | 'items'>): string | undefined {
  if (type === 'array' && items?.type !== 'string') return undefined;
  const old = `oldSelf.${field}`;
  const expressionByType: { readonly [T in NonNullable<Schema['type']>]?: string } = {
    string: `'"' + ${old} + '"'`,
    array: `(size(${old}) == 0 ? '[]' : '["' + ${old}.join('","') + '"]')`,
    // kube-apiserver assumes that the result of `string` can have any length, and estimates the cost accordingly.
    boolean: `(${old} ? 'true' : 'false')`,
  };
  const text = type && expressionByType[type];
  return text && `(has(${old}) ? 'it is ' + ${text} : 'it was not set')`;
}

export function crossFieldCel(rule: CrossFieldRule): ValidationRule {
  const fieldPath = rule.field.slice(rule.path.length);
  // kube-apiserver drops an empty fieldPath, so the definition would differ from what was applied.
  return { rule: rule.cel, message: rule.message, ...(fieldPath !== '' && { fieldPath }) };
}

/**
 * The rule for the root of the schema: if the whole status is added or removed, a rule below the root is not evaluated.
 */
export function transitionCel(rule: TransitionRule): ValidationRule {
  const { cel, field, message, hint } = rule;
  return {
    rule: cel,
    message,
    ...(hint && { messageExpression: `'${message}: ' + ${hint.cel}` }),
    fieldPath: `.${field}`,
    reason: 'FieldValueForbidden',
  };
}

/** A copy of `schema` with `rule` added to the object at `path`. */
export function addRule(schema: Schema, path: string, rule: ValidationRule): Schema {
  if (path === '') {
    return { ...schema, 'x-kubernetes-validations': [...(schema['x-kubernetes-validations'] ?? []), rule] };
  }
  const [head = '', ...rest] = path.split('.');
  const property = schema.properties?.[head];
  if (property === undefined) throw new Error(`a rule refers to ${path}, which is not in the schema`);
  return { ...schema, properties: { ...schema.properties, [head]: addRule(property, rest.join('.'), rule) } };
}
