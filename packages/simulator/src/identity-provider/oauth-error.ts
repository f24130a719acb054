import { ApiError, type ApiResponse, type Problem } from '../http/api.ts';

/** An error with a code from RFC 6749 (5.2) or RFC 8628 (3.5). */
export class OAuthError extends ApiError {
  constructor(code: string, description: string, status = 400) {
    super(status, description, { type: code });
  }
}

export function renderOAuthProblem({ status, message, type }: Problem): ApiResponse {
  const error = type ?? (status >= 500 ? 'server_error' : 'invalid_request');
  return { status, headers: { 'Cache-Control': 'no-store' }, body: { error, error_description: message } };
}
