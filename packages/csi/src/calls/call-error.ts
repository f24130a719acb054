import { status } from '@grpc/grpc-js';

/** Thrown to end a call with this status; sidecars write the message into events. */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly code: status;

  constructor(code: status, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

export function invalidArgument(message: string): CallError {
  return new CallError(status.INVALID_ARGUMENT, message);
}

export function notFound(message: string): CallError {
  return new CallError(status.NOT_FOUND, message);
}

export function failedPrecondition(message: string): CallError {
  return new CallError(status.FAILED_PRECONDITION, message);
}
