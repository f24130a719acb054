import { status } from '@grpc/grpc-js';

/** Thrown to end a call with this status; the message is for the log of the autoscaler's operator. */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly code: status;

  constructor(code: status, message: string) {
    super(message);
    this.code = code;
  }
}

export function invalidArgument(message: string): CallError {
  return new CallError(status.INVALID_ARGUMENT, message);
}

export function failedPrecondition(message: string): CallError {
  return new CallError(status.FAILED_PRECONDITION, message);
}
