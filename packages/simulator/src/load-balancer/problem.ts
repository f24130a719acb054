import { ApiError, type ApiResponse, type Problem } from '../http/api.ts';

/** Marks errors that occur before WSME handles the request. */
const EARLY_ERROR = 'early';

/**
 * Renders errors in WSME's format; errors raised before WSME use WebOb's JSON, with the same title for every status.
 */
export function renderLoadBalancerProblem({ status, message, type }: Problem): ApiResponse {
  if (type === EARLY_ERROR) return { status, body: { code: status, title: 'Bad Request', description: message } };
  return { status, body: { faultcode: status < 500 ? 'Client' : 'Server', faultstring: message, debuginfo: null } };
}

/** Names of object kinds in Octavia's messages. */
export type ObjectNoun = 'Load Balancer' | 'Listener' | 'Pool' | 'Member' | 'Health Monitor' | 'L7 Policy' | 'L7 Rule';

export function notFound(noun: string, id: string): ApiError {
  return new ApiError(404, `${noun} ${id} not found.`);
}

/**
 * The error for a missing parent in a path such as `/pools/{pool}/members`: the parent is looked up before WSME handles
 * the request.
 */
export function parentNotFound(noun: 'Pool' | 'L7Policy', id: string): ApiError {
  return new ApiError(404, `${noun} ${id} not found.`, { type: EARLY_ERROR });
}

/** The error for a Neutron object that is not visible to the caller. */
export function invalidSubresource(noun: 'Network' | 'Subnet' | 'Port', id: string): ApiError {
  return new ApiError(400, `${noun} ${id} not found.`);
}

export function forbidden(): ApiError {
  return new ApiError(403, 'Policy does not allow this request to be performed.');
}

export function invalid(detail: string): ApiError {
  return new ApiError(400, `Validation failure: ${detail}`);
}

export function invalidOption(value: string, option: string): ApiError {
  return new ApiError(400, `${value} is not a valid option for ${option}`);
}

export function disabledOption(option: string, value: string): ApiError {
  return new ApiError(400, `The selected ${option} is not allowed in this deployment: ${value}`);
}

export function quotaExceeded(noun: ObjectNoun): ApiError {
  return new ApiError(403, `Quota has been met for resources: ${noun}`);
}

export function immutable(noun: ObjectNoun | 'L7Policy', id: string): ApiError {
  return new ApiError(409, `${noun} ${id} is immutable and cannot be updated.`);
}

/** The error for an invalid query. */
export function badQuery(message: string): ApiError {
  return new ApiError(400, message, { type: EARLY_ERROR });
}

export function conflict(message: string): ApiError {
  return new ApiError(409, message);
}

export function providerError(provider: string, reason: string): ApiError {
  return new ApiError(500, `Provider '${provider}' reports error: ${reason}`);
}

export function unsupportedOption(provider: string, reason: string): ApiError {
  return new ApiError(501, `Provider '${provider}' does not support a requested option: ${reason}`);
}

export function notImplemented(provider: string, reason: string): ApiError {
  return new ApiError(501, `Provider '${provider}' does not support a requested action: ${reason}`);
}
