import { builtinDefinitions } from '@fairway/apiserver/kinds/definitions';
import { NAMESPACE_TYPE, REQUEST_TYPE } from '@fairway/apiserver/schema/cel-policy-types';
import { celTypeOfKind } from '@fairway/apiserver/schema/cel-schema-types';
import { TypedExpression } from '@fairway/apiserver/schema/cel-type-check';
import { type CelType, DYN, objectOf } from '@fairway/apiserver/schema/cel-types';
import type { ExpressionWarning, ValidatingAdmissionPolicy } from '@fairway/kube/kinds/generated/types';
import { setOwn } from '@fairway/kube/object/json';
import { nameOfKind, type PolicyKinds } from './matched-kinds.ts';

/** Maximum number of characters in expressions, counted per kind. */
const MAX_CHECKED_CHARS = 1_000_000;
const MAX_WARNING_CHARS = 8 * 1024;
const MAX_WARNINGS_CHARS = 64 * 1024;

/** A kind, with the types of the variables in expressions about its objects. */
interface Subject {
  readonly name: string;
  readonly variables: ReadonlyMap<string, CelType>;
}

/**
 * Checks the expressions of a policy's validations and their messages against the schemas of its kinds, like kube-controller-manager. Yields the size
 * of each piece of work in characters; returns the warnings.
 */
export function* expressionWarnings(
  { spec }: ValidatingAdmissionPolicy,
  { matched, params }: PolicyKinds,
): Generator<number, ExpressionWarning[]> {
  const warnings: ExpressionWarning[] = [];
  let checkedChars = 0;
  let warningChars = 0;

  const variables = (spec.variables ?? []).map(({ name, expression }) => ({
    name,
    text: expression,
    typed: new TypedExpression(expression),
  }));
  const subjects: Subject[] = [];
  const definitions = builtinDefinitions();
  for (const kind of matched) {
    const seen = new Map<string, CelType>([
      ['object', celTypeOfKind(kind, definitions)],
      ['oldObject', celTypeOfKind(kind, definitions)],
      ['request', REQUEST_TYPE],
      ['namespaceObject', NAMESPACE_TYPE],
      ...(spec.paramKind === undefined
        ? []
        : [['params', params === undefined ? DYN : celTypeOfKind(params, definitions)] as const]),
    ]);
    const known: Record<string, CelType> = {};
    seen.set('variables', objectOf('kubernetes.variables', known));
    for (const { name, text, typed } of variables) {
      // A variable with an error is treated as being of any type: variables themselves cause no warnings.
      setOwn(known, name, typed.check(seen).type);
      checkedChars += text.length;
      yield text.length;
    }
    subjects.push({ name: nameOfKind(kind), variables: seen });
  }

  for (const { fieldRef, text } of expressionsOf(spec.validations ?? [])) {
    const isTooMuch = checkedChars > MAX_CHECKED_CHARS || warningChars > MAX_WARNINGS_CHARS;
    if (isTooMuch && subjects.length > 0) {
      warnings.push({
        fieldRef,
        warning: 'not checked, like the following expressions: the policy is too large or has too many warnings',
      });
      return warnings;
    }
    const expression = new TypedExpression(text);
    const problems: string[] = [];
    for (const { name, variables: seen } of subjects) {
      const { problem } = expression.check(seen);
      if (problem !== '') problems.push(`${name}: ${problem}\n`);
      checkedChars += text.length;
      yield text.length;
    }
    if (problems.length === 0) continue;
    const warning = problems.join('\n').slice(0, MAX_WARNING_CHARS);
    warnings.push({ fieldRef, warning });
    warningChars += warning.length;
  }
  return warnings;
}

type Validations = NonNullable<ValidatingAdmissionPolicy['spec']['validations']>;

function* expressionsOf(validations: Validations): Generator<{ readonly fieldRef: string; readonly text: string }> {
  for (const [index, { expression, messageExpression }] of validations.entries()) {
    const path = `spec.validations[${index}]`;
    yield { fieldRef: `${path}.expression`, text: expression };
    if (messageExpression) yield { fieldRef: `${path}.messageExpression`, text: messageExpression };
  }
}
