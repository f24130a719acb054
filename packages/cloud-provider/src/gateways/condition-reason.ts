/** A condition's reason and message. */
export interface ReasonAndMessage {
  readonly reason: string;
  readonly message: string;
}
