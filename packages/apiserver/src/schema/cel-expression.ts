import { TypeError as CelTypeError, ParseError } from '@marcbachmann/cel-js';
import type { CelBudget } from './cel-budget.ts';
import { countCosts } from './cel-costs.ts';
import { environmentWith } from './cel-environment.ts';
import { allowAnyHas } from './cel-has.ts';
import { unusableKeys } from './cel-type-check.ts';
import { celValueOf } from './cel-values.ts';

export const MAX_EXPRESSION_CHARS = 10_000;

/** An expression over variables of any type; `error` says why it can't be run. */
export type CelExpression =
  | { readonly error?: undefined; run(variables: object, budget: CelBudget): unknown }
  | { readonly error: string };

/** Compiles an expression without a schema, such as one of a ValidatingAdmissionPolicy. */
export function compileExpression(text: string, variables: readonly string[]): CelExpression {
  if (text.length > MAX_EXPRESSION_CHARS)
    return { error: `it has ${text.length} characters, the limit is ${MAX_EXPRESSION_CHARS}` };
  const keyProblem = unusableKeys(text, variables);
  if (keyProblem !== undefined) return { error: keyProblem };
  try {
    const program = environmentWith(variables).parse(text);
    allowAnyHas(program.ast);
    const { error } = program.check();
    if (error !== undefined) return { error: reasonOf(error) };
    countCosts(program.ast);
    return { run: (values, budget) => budget.run(() => program(values)) };
  } catch (error) {
    // A RangeError means a stack overflow.
    if (error instanceof ParseError || error instanceof CelTypeError || error instanceof RangeError) {
      return { error: reasonOf(error) };
    }
    throw error;
  }
}

/** Converts a value for expressions without a schema: integers as int, and strings unchanged. Charged to the budget. */
export function celValue(value: unknown, budget: CelBudget): unknown {
  budget.chargeValue(value);
  return value === undefined ? null : celValueOf(value, undefined, new Map(), (text) => text);
}

function reasonOf(error: Error): string {
  return 'summary' in error ? String(error.summary) : 'the expression nests too deeply';
}
