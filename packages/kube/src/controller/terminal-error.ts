/** Thrown by a reconcile to say that trying again is no use until something changes: it is logged and counted, not retried. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}
