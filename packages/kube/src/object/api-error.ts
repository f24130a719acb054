/** `metav1.StatusCause`; `reason` is a field-error type such as `FieldValueInvalid`. */
export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** A `metav1.Status` with status Failure, as sent on the wire. */
export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  /** Contains the token to continue an expired list, as in `metav1.ListMeta`. */
  metadata: { continue?: string };
  status: 'Failure' | 'Success';
  message?: string;
  reason?: string;
  details?: {
    name?: string;
    group?: string;
    kind?: string;
    uid?: string;
    causes?: StatusCause[];
    retryAfterSeconds?: number;
  };
  code: number;
}

/** The values of `metav1.StatusReason` that Fairway sends or receives. */
export type StatusReason =
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Expired'
  | 'Invalid'
  | 'ServerTimeout'
  | 'Timeout'
  | 'TooManyRequests'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'InternalError'
  | 'ServiceUnavailable'
  | 'Unknown';

/** The object or resource that an error concerns. */
export interface ErrorSubject {
  group?: string;
  /** Plural resource for most errors; the kind for `invalid`, as in Kubernetes. */
  resource?: string;
  name?: string;
}

export interface ApiErrorOptions {
  subject?: ErrorSubject | undefined;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
  /** The token to continue an expired list. */
  continueToken?: string;
  cause?: unknown;
}

/** A failure of a Kubernetes API call. The server that throws it and the client that receives it use the same class. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: number;
  readonly reason: StatusReason;
  readonly subject: ErrorSubject | undefined;
  readonly causes: readonly StatusCause[];
  readonly retryAfterSeconds: number | undefined;
  readonly continueToken: string | undefined;

  constructor(code: number, reason: StatusReason, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.reason = reason;
    this.subject = options.subject;
    this.causes = options.causes ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.continueToken = options.continueToken;
  }

  toStatus(): Status {
    const { subject, causes, retryAfterSeconds } = this;
    const details: NonNullable<Status['details']> = {
      ...(subject?.name && { name: subject.name }),
      ...(subject?.group && { group: subject.group }),
      ...(subject?.resource && { kind: subject.resource }),
      ...(causes.length > 0 && { causes: [...causes] }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    };
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.continueToken === undefined ? {} : { continue: this.continueToken },
      status: 'Failure',
      message: this.message,
      // In Go, Unknown means that there is no reason.
      ...(this.reason !== 'Unknown' && { reason: this.reason }),
      ...((subject !== undefined || Object.keys(details).length > 0) && { details }),
      code: this.code,
    };
  }

  /** The error for a Status body; `fallbackCode` is the HTTP status, used if the body has no code. */
  static fromStatus(status: Partial<Status>, fallbackCode: number): ApiError {
    const code = status.code ?? fallbackCode;
    const details = status.details;
    return new ApiError(
      code,
      (status.reason as StatusReason | undefined) ?? 'Unknown',
      status.message ?? `HTTP ${code}`,
      {
        ...(details && {
          subject: {
            ...(details.group !== undefined && { group: details.group }),
            ...(details.kind !== undefined && { resource: details.kind }),
            ...(details.name !== undefined && { name: details.name }),
          },
        }),
        ...(details?.causes && { causes: details.causes }),
        ...(details?.retryAfterSeconds !== undefined && { retryAfterSeconds: details.retryAfterSeconds }),
        ...(status.metadata?.continue && { continueToken: status.metadata.continue }),
      },
    );
  }
}

function qualifiedName(subject: ErrorSubject): string {
  return subject.group ? `${subject.resource}.${subject.group}` : `${subject.resource}`;
}

export function notFound(subject: ErrorSubject): ApiError {
  return new ApiError(404, 'NotFound', `${qualifiedName(subject)} "${subject.name}" not found`, { subject });
}

export function alreadyExists(subject: ErrorSubject): ApiError {
  return new ApiError(409, 'AlreadyExists', `${qualifiedName(subject)} "${subject.name}" already exists`, { subject });
}

export function conflict(subject: ErrorSubject, detail: string): ApiError {
  const message = `Operation cannot be fulfilled on ${qualifiedName(subject)} "${subject.name}": ${detail}`;
  return new ApiError(409, 'Conflict', message, { subject });
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, 'BadRequest', message);
}

/**
 * The error for a request that is too large, or would make an object too large. `detail` names the item, the limit and
 * what to do.
 */
export function entityTooLarge(detail: string): ApiError {
  return new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: ${detail}`);
}

export function unauthorized(message = 'Unauthorized'): ApiError {
  return new ApiError(401, 'Unauthorized', message);
}

export function forbidden(subject: ErrorSubject, detail: string): ApiError {
  const name = subject.name ? ` "${subject.name}"` : '';
  // A non-resource path has no object to name.
  const message = subject.resource ? `${qualifiedName(subject)}${name} is forbidden` : 'forbidden';
  return new ApiError(403, 'Forbidden', `${message}: ${detail}`, { subject });
}

/**
 * The error for a list or watch from an expired resourceVersion or continue token. With a token, the list can continue
 * with the current state.
 */
export function expired(message: string, continueToken?: string): ApiError {
  return new ApiError(410, 'Expired', message, { ...(continueToken !== undefined && { continueToken }) });
}

export function methodNotAllowed(subject: ErrorSubject, verb: string): ApiError {
  return new ApiError(
    405,
    'MethodNotAllowed',
    `${verb} is not supported on resources of kind "${qualifiedName(subject)}"`,
    {
      subject,
    },
  );
}

export function tooManyRequests(
  message: string,
  retryAfterSeconds: number | undefined,
  causes: StatusCause[] = [],
): ApiError {
  return new ApiError(429, 'TooManyRequests', message, {
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    causes,
  });
}

/** Whether `error` is an API error with one of `reasons`. */
export function isApiError(error: unknown, ...reasons: StatusReason[]): error is ApiError {
  return error instanceof ApiError && (reasons.length === 0 || reasons.includes(error.reason));
}
