/** What is left of a cluster in the cloud, for messages. */
export interface Leftover {
  readonly what: string;
  readonly retryAfterMs?: number;
}
