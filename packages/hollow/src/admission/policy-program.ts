import { PARAMETERIZED_VARIABLES, POLICY_VARIABLES } from '@fairway/apiserver/kinds/registration/policy-variables';
import { CelAllowance, CelBudget } from '@fairway/apiserver/schema/cel-budget';
import { type CelExpression, compileExpression } from '@fairway/apiserver/schema/cel-expression';
import type { AdmissionRequest } from '@fairway/apiserver/server/admission';
import type { ValidatingAdmissionPolicy } from '@fairway/kube/kinds/generated/types';
import { type PolicyContext, PolicyValues, run } from './policy-values.ts';

interface CompiledValidation {
  readonly test: CelExpression;
  readonly message: string;
  readonly words: CelExpression | undefined;
  readonly reason: string;
}

interface CompiledAnnotation {
  readonly key: string;
  readonly value: CelExpression;
}

/** A violated rule. */
export interface Violation {
  /** From the rule; undefined if something other than a rule failed. */
  readonly index?: number;
  readonly message: string;
  readonly reason: string;
}

/** A policy's expressions, compiled once. */
export class PolicyProgram {
  /** Why the policy can't be run here; undefined if it can. */
  readonly problem: string | undefined;
  readonly #ignoresFailures: boolean;
  readonly #conditions: readonly CelExpression[];
  readonly #variables: readonly (readonly [name: string, expression: CelExpression])[];
  readonly #validations: readonly CompiledValidation[];
  readonly #annotations: readonly CompiledAnnotation[];

  constructor({ spec }: ValidatingAdmissionPolicy) {
    const variables = spec.paramKind === undefined ? POLICY_VARIABLES : PARAMETERIZED_VARIABLES;
    // A rejected client must not learn anything about permissions.
    const messageVariables = variables.filter((variable) => variable !== 'authorizer');
    const compile = (text: string) => compileExpression(text, variables);
    this.#ignoresFailures = spec.failurePolicy === 'Ignore';
    this.#conditions = (spec.matchConditions ?? []).map(({ expression }) => compile(expression));
    this.#variables = (spec.variables ?? []).map(({ name, expression }) => [name, compile(expression)]);
    this.#validations = (spec.validations ?? []).map(({ expression, message, messageExpression, reason }) => ({
      test: compile(expression),
      message: message ?? `failed expression: ${expression.trim()}`,
      words: messageExpression === undefined ? undefined : compileExpression(messageExpression, messageVariables),
      reason: reason ?? 'Invalid',
    }));
    this.#annotations = (spec.auditAnnotations ?? []).map(({ key, valueExpression }) => ({
      key,
      value: compile(valueExpression),
    }));
    const all = [
      ...this.#conditions,
      ...this.#annotations.map(({ value }) => value),
      ...this.#variables.map(([, expression]) => expression),
      ...this.#validations.flatMap(({ test, words }) => [test, ...(words ? [words] : [])]),
    ];
    this.problem = all.find(({ error }) => error !== undefined)?.error;
  }

  /** The rules that the request violates; a failing expression counts as a violation unless failurePolicy is Ignore. */
  evaluate(
    request: AdmissionRequest,
    context: PolicyContext,
    annotate: (key: string, value: string) => void,
  ): readonly Violation[] {
    const budget = budgetOf(request);
    const violations: Violation[] = [];
    try {
      const values = new PolicyValues(request, context, budget);
      if (!this.#conditions.every((condition) => run(condition, values, budget) === true)) return [];
      for (const [name, expression] of this.#variables) values.define(name, () => run(expression, values, budget));
      for (const [index, { test, message, words, reason }] of this.#validations.entries()) {
        if (run(test, values, budget) === true) continue;
        violations.push({ index, reason, message: messageOf(words, values, budget) ?? message });
      }
      for (const { key, value } of this.#annotations) {
        const text = run(value, values, budget);
        if (typeof text === 'string' && text.trim() !== '') annotate(key, text.trim());
      }
      return violations;
    } catch (error) {
      if (this.#ignoresFailures) return violations;
      const message = error instanceof Error ? error.message : String(error);
      return [...violations, { reason: 'Invalid', message: `expression resulted in error: ${message}` }];
    }
  }
}

const allowances = new WeakMap<AdmissionRequest, CelAllowance>();

/** Budget for one policy, within the budget for all policies on a request: evaluation blocks the server. */
export function budgetOf(request: AdmissionRequest): CelBudget {
  const allowance = allowances.get(request) ?? new CelAllowance();
  allowances.set(request, allowance);
  return new CelBudget(allowance);
}

/** The result of a messageExpression; undefined if it fails. */
function messageOf(expression: CelExpression | undefined, values: PolicyValues, budget: CelBudget): string | undefined {
  if (expression === undefined) return undefined;
  try {
    const words = run(expression, values, budget);
    return typeof words === 'string' && words.trim() !== '' && !words.includes('\n') ? words.trim() : undefined;
  } catch {
    return undefined;
  }
}
