import { fieldErrorBody } from '@fairway/kube/object/field-error';
import { validateRules } from './cel-rules.ts';
import type { Schema } from './schema.ts';
import { validateValueBySchema } from './validate.ts';

const NO_DEFINITIONS = new Map<string, Schema>();

/** Errors that a rule reports for a value. */
export function errorsOfRule(rule: string, schema: Schema, value: unknown, messageExpression?: string): string[] {
  const rules = [{ rule, ...(messageExpression !== undefined && { messageExpression }) }];
  const errors = validateRules(value, undefined, { ...schema, 'x-kubernetes-validations': rules }, NO_DEFINITIONS, {
    path: 'x',
  });
  return errors.map(({ detail }) => detail);
}

/** Errors that a schema reports for a value. */
export function errorsOfSchema(schema: Schema, value: unknown): string[] {
  return validateValueBySchema(value, schema, NO_DEFINITIONS, 'x').map(fieldErrorBody);
}
