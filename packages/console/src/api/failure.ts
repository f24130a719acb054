import type { Status, StatusCause } from '@fairway/kube/object/api-error';

/** What the API answered instead of what was asked for, or that it answered nothing. */
export class Failure extends Error {
  override readonly name = 'Failure';
  /** The HTTP status; 0 if there was no answer. */
  readonly code: number;
  readonly reason: string;
  readonly causes: readonly StatusCause[];
  readonly retryAfterMs: number | undefined;

  constructor(code: number, message: string, { reason = '', causes = [], retryAfterMs }: FailureDetails = {}) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.causes = causes;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether asking again may help: the server is away, busy, or being replaced. */
  get isPassing(): boolean {
    return this.code === 0 || this.code === 429 || this.code >= 500;
  }
}

export interface FailureDetails {
  readonly reason?: string | undefined;
  readonly causes?: readonly StatusCause[] | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** The failure of an answer that is none of what was asked for. Its body may be a Status, a text, or something in between's page. */
export function failureOf(code: number, body: string, retryAfter: string | null): Failure {
  const seconds = Number(retryAfter ?? Number.NaN);
  const retryAfterMs = Number.isFinite(seconds) && retryAfter !== null ? seconds * 1000 : undefined;
  const status = statusOf(body);
  if (status === undefined) return new Failure(code, `HTTP ${code}`, { retryAfterMs });
  const { message = `HTTP ${code}`, reason, details } = status;
  return new Failure(code, message, { reason, causes: details?.causes, retryAfterMs });
}

function statusOf(body: string): Partial<Status> | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    const isStatus = typeof parsed === 'object' && parsed !== null && 'kind' in parsed && parsed.kind === 'Status';
    return isStatus ? (parsed as Partial<Status>) : undefined;
  } catch {
    return undefined;
  }
}
