import type { Problem } from '../problem.ts';

/** Thrown when a successful call leads to a failure later, such as a server that ends up in ERROR. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}
