/** A reason and a message of a condition. */
export interface Verdict {
  readonly reason: string;
  readonly message: string;
}
