import type { Authorizer } from '@fairway/apiserver/auth/user';
import { MATCH_CONDITION_VARIABLES } from '@fairway/apiserver/kinds/registration/match-conditions';
import { type CelExpression, compileExpression } from '@fairway/apiserver/schema/cel-expression';
import type { AdmissionRequest } from '@fairway/apiserver/server/admission';
import type { MatchCondition } from '@fairway/kube/kinds/generated/types';
import { forbidden } from '@fairway/kube/object/api-error';
import { budgetOf } from '../policy-program.ts';
import { PolicyValues } from '../policy-values.ts';

/** The conditions of a webhook. It is called only if all of them are true. */
export class MatchConditions {
  readonly #conditions: readonly (MatchCondition & { readonly test: CelExpression })[];
  readonly #ignoresFailures: boolean;

  constructor(conditions: readonly MatchCondition[], failurePolicy: string | undefined) {
    this.#conditions = conditions.map((condition) => ({
      ...condition,
      test: compileExpression(condition.expression, MATCH_CONDITION_VARIABLES),
    }));
    this.#ignoresFailures = failurePolicy === 'Ignore';
  }

  /**
   * A false condition takes precedence over failing conditions. Otherwise a failure results in 403, or skips the
   * webhook if its failurePolicy is Ignore.
   */
  hold(request: AdmissionRequest, authorizer: Authorizer): boolean {
    if (this.#conditions.length === 0) return true;
    const budget = budgetOf(request);
    const failures: string[] = [];
    try {
      const values = new PolicyValues(request, { authorizer }, budget);
      for (const { expression, test } of this.#conditions) {
        try {
          if (test.error !== undefined) throw new Error(test.error);
          if (test.run(values, budget) === false) return false;
        } catch (error) {
          failures.push(`expression '${expression}' resulted in error: ${(error as Error).message}`);
        }
      }
    } catch (error) {
      failures.push((error as Error).message);
    }
    const [first] = failures;
    if (first === undefined) return true;
    if (this.#ignoresFailures) return false;
    const { group, plural } = request.resource;
    const words = failures.length > 1 ? `[${failures.join(', ')}]` : first;
    throw forbidden({ group, resource: plural, name: request.name }, words);
  }
}
