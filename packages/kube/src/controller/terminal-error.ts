/** Thrown by a reconcile when a retry is pointless until something changes: logged and counted, not retried. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}
