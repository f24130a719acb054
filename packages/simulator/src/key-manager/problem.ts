import { ApiError, type ApiResponse, type Problem } from '../http/api.ts';

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  409: 'Conflict',
  413: 'Request Entity Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** Marks errors from the microversion middleware, which have WebOb's format. */
export const BAD_MICROVERSION = 'microversion';

/** Marks errors from Barbican's own code; other errors come from the front end. */
const SERVICE_NAME = 'barbican';

export function renderKeyProblem({ status, message, type }: Problem): ApiResponse {
  const title = TITLES[status] ?? 'Error';
  if (type === BAD_MICROVERSION) return { status, body: { message, code: `${status} ${title}`, title } };
  // Pecan reports a missing method as an unsupported media type.
  if (status === 405 && type !== SERVICE_NAME)
    return { status: 406, body: { code: 406, title: TITLES[406], description: null } };
  const description = type === 'HTTPNotFound' ? '' : message;
  return { status, body: { code: status, title, description } };
}

export function refuse(status: number, description: string): ApiError {
  return new ApiError(status, description, { type: SERVICE_NAME });
}

export function notFound(description: string): ApiError {
  return refuse(404, description);
}

export function methodNotAllowed(): ApiError {
  return refuse(405, '');
}

/**
 * The error for operations that Barbican's policy denies; `operation` is the name of the operation in messages, such as
 * `Secret retrieval`.
 */
export function forbidden(operation: string): ApiError {
  return refuse(403, `${operation} attempt not allowed - please review your user/project privileges`);
}

/** The error for an operation that the policy allows but that fails. */
export function reportedIssue(operation: string, status: number, reason: string): ApiError {
  return refuse(status, issueText(operation, reason));
}

export function issueText(operation: string, reason: string): string {
  return `${operation} issue seen - ${reason}.`;
}

export function failureText(operation: string): string {
  return `${operation} failure seen - please contact site administrator.`;
}

export function wrongMediaType(expected: readonly string[]): ApiError {
  const list = expected.map((type) => `'${type}'`).join(', ');
  return refuse(415, `Unexpected content type. Expected content types are: [${list}]`);
}
