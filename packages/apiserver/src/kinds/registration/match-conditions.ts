import type { MatchCondition } from '@fairway/kube/kinds/generated/types';
import type { FieldError } from '@fairway/kube/object/field-error';
import { qualifiedNameErrors } from '@fairway/kube/object/names';
import { compileExpression } from '../../schema/cel-expression.ts';
import { duplicate, invalidValue, required } from '../field-errors.ts';

/** Variables of webhook conditions. */
export const MATCH_CONDITION_VARIABLES = ['object', 'oldObject', 'request', 'authorizer'];
const MAX_CONDITIONS = 64;

/** Errors in `matchConditions`, with the messages of k8s.io/kubernetes/pkg/apis/admissionregistration/validation. */
export function matchConditionErrors(
  path: string,
  conditions: readonly MatchCondition[] | undefined,
  variables: readonly string[] = MATCH_CONDITION_VARIABLES,
): FieldError[] {
  const list = conditions ?? [];
  if (list.length > MAX_CONDITIONS) {
    return [
      {
        type: 'FieldValueTooMany',
        field: path,
        value: list.length,
        detail: `must have at most ${MAX_CONDITIONS} items`,
      },
    ];
  }
  const names = list.map(({ name }) => name);
  return list.flatMap(({ name, expression }, index) => {
    const at = `${path}[${index}]`;
    return [
      ...expressionErrors(`${at}.expression`, expression, variables),
      ...(name
        ? qualifiedNameErrors(name).map((detail) => invalidValue(`${at}.name`, name, detail))
        : [required(`${at}.name`)]),
      ...(name && names.indexOf(name) !== index ? [duplicate(`${at}.name`, name)] : []),
    ];
  });
}

function expressionErrors(field: string, expression: string | undefined, variables: readonly string[]): FieldError[] {
  if (!expression?.trim()) return [required(field)];
  const { error } = compileExpression(expression.trim(), variables);
  if (error === undefined) return [];
  return [invalidValue(field, expression, `compilation failed: ERROR: ${error}`)];
}
