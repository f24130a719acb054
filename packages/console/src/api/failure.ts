import type { Status, StatusCause } from '@fairway/kube/object/api-error';

/** An error response of the API, or no response at all. */
export class Failure extends Error {
  override readonly name = 'Failure';
  /** The HTTP status; 0 if there was no response. */
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

  /**
   * Whether data read earlier remains valid. If only the session has ended, signing in again is enough, and open forms
   * must be kept.
   */
  get keepsData(): boolean {
    return this.isTransient || this.code === 401;
  }

  /** Whether a retry may help: the server is unreachable, busy, or being replaced. */
  get isTransient(): boolean {
    return this.code === 0 || this.code === 429 || this.code >= 500;
  }
}

export interface FailureDetails {
  readonly reason?: string | undefined;
  readonly causes?: readonly StatusCause[] | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** The failure for an error response, whose body may be a Status, text, or a proxy's HTML page. */
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
