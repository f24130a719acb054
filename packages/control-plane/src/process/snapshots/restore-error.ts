import type { RestoreProblem } from '../../runtime.ts';

/** Why a request can't be processed, and whether the tenant or the operator must act. */
export class RestoreError extends Error {
  override readonly name = 'RestoreError';
  readonly problem: RestoreProblem;

  constructor(problem: RestoreProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}
