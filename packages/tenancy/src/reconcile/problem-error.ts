import type { Problem } from '../problem.ts';

/** Thrown by a step of the cloud that was answered well and came to nothing, such as a server that ends in ERROR. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}
