/** A reason and a message of a condition. */
export interface ReasonAndMessage {
  readonly reason: string;
  readonly message: string;
}
