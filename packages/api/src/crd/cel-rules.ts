import type { Schema, ValidationRule } from '@fairway/apiserver/schema/schema';
import type { CrossFieldRule, ImmutableHint, TransitionRule } from '../kinds/kind.ts';

export const IMMUTABLE_DETAIL = 'cannot be changed after creation';

/**
 * The rule that makes the field at `path` immutable, including its absence; it is placed on the field's parent, since a
 * rule on the field itself is not evaluated if the field is added or removed.
 */
export function immutabilityCel(path: string, type: Schema['type'], hint?: ImmutableHint): ValidationRule {
  const field = path.slice(path.lastIndexOf('.') + 1);
  const told = hint?.cel ?? wasCel(field, type);
  return {
    rule: `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
    message: IMMUTABLE_DETAIL,
    ...(told !== undefined && { messageExpression: `'${IMMUTABLE_DETAIL}: ' + ${told}` }),
    fieldPath: `.${field}`,
    reason: 'FieldValueForbidden',
  };
}

/** What the field was, in the words of `immutableErrors`; undefined for what CEL cannot write, or not at a bounded cost. */
function wasCel(field: string, type: Schema['type']): string | undefined {
  const old = `oldSelf.${field}`;
  const was: { readonly [T in NonNullable<Schema['type']>]?: string } = {
    string: `'"' + ${old} + '"'`,
    array: `(size(${old}) == 0 ? '[]' : '["' + ${old}.join('","') + '"]')`,
    // A text that `string` makes may be of any length to kube-apiserver, and costs as much.
    boolean: `(${old} ? 'true' : 'false')`,
  };
  const text = type && was[type];
  return text && `(has(${old}) ? 'it is ' + ${text} : 'it was left out')`;
}

export function crossFieldCel(rule: CrossFieldRule): ValidationRule {
  return { rule: rule.cel, message: rule.message, fieldPath: rule.field.slice(rule.path.length) };
}

/** The rule for the root of the schema: if the whole status is added or removed, a rule below it is not evaluated. */
export function transitionCel(rule: TransitionRule): ValidationRule {
  const { cel, field, message } = rule;
  return { rule: cel, message, fieldPath: `.${field}`, reason: 'FieldValueForbidden' };
}

/** A copy of `schema` with `rule` at the object at `path`. */
export function addRule(schema: Schema, path: string, rule: ValidationRule): Schema {
  if (path === '') {
    return { ...schema, 'x-kubernetes-validations': [...(schema['x-kubernetes-validations'] ?? []), rule] };
  }
  const [head = '', ...rest] = path.split('.');
  const property = schema.properties?.[head];
  if (property === undefined) throw new Error(`a rule is about ${path}, which the schema does not have`);
  return { ...schema, properties: { ...schema.properties, [head]: addRule(property, rest.join('.'), rule) } };
}
