import { ApiError, type ApiResponse, type Problem } from '../http/api.ts';

/** Marks what Octavia refuses before WSME has the request. */
const EARLY = 'early';

/** WSME's form of an error; WebOb's JSON for what is refused before, under one title whatever the status. */
export function renderLoadBalancerProblem({ status, message, type }: Problem): ApiResponse {
  if (type === EARLY) return { status, body: { code: status, title: 'Bad Request', description: message } };
  return { status, body: { faultcode: status < 500 ? 'Client' : 'Server', faultstring: message, debuginfo: null } };
}

/** Kinds of objects, as Octavia's messages name them. */
export type Noun = 'Load Balancer' | 'Listener' | 'Pool' | 'Member' | 'Health Monitor' | 'L7 Policy' | 'L7 Rule';

export function notFound(noun: string, id: string): ApiError {
  return new ApiError(404, `${noun} ${id} not found.`);
}

/** The parent in a path such as `/pools/{pool}/members`, which is looked up before WSME has the request. */
export function parentNotFound(noun: 'Pool' | 'L7Policy', id: string): ApiError {
  return new ApiError(404, `${noun} ${id} not found.`, { type: EARLY });
}

/** An object of Neutron that a request names, and that the caller can't see. */
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

export function quotaMet(noun: Noun): ApiError {
  return new ApiError(403, `Quota has been met for resources: ${noun}`);
}

export function immutable(noun: Noun | 'L7Policy', id: string): ApiError {
  return new ApiError(409, `${noun} ${id} is immutable and cannot be updated.`);
}

/** A query that can't be parsed. */
export function badQuery(message: string): ApiError {
  return new ApiError(400, message, { type: EARLY });
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
