import { ApiError, type ApiResponse, type Problem } from '../http/api.ts';

const TYPES: Readonly<Record<number, string>> = {
  400: 'HTTPBadRequest',
  403: 'PolicyNotAuthorized',
  404: 'HTTPNotFound',
  405: 'HTTPMethodNotAllowed',
  409: 'Conflict',
  412: 'HTTPPreconditionFailed',
  500: 'HTTPInternalServerError',
  503: 'ServiceUnavailable',
};

export function renderNetworkProblem({ status, message, type }: Problem): ApiResponse {
  if (status === 500) {
    const text = 'Request Failed: internal server error while processing your request.';
    return { status, body: { NeutronError: { type: 'HTTPInternalServerError', message: text, detail: '' } } };
  }
  return { status, body: { NeutronError: { type: type ?? TYPES[status] ?? 'HTTPError', message, detail: '' } } };
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, message, { type: 'HTTPBadRequest' });
}

/** Neutron's InvalidInput error. */
export function invalidInput(message: string): ApiError {
  return refusalError('InvalidInput', `Invalid input for operation: ${message}.`);
}

/** A 400 with the given exception class. */
export function refusalError(type: string, message: string): ApiError {
  return new ApiError(400, message, { type });
}

export function missing(type: string, message: string): ApiError {
  return new ApiError(404, message, { type });
}

export function conflict(type: string, message: string): ApiError {
  return new ApiError(409, message, { type });
}

export function disallowed(rule: string): ApiError {
  return new ApiError(403, `rule:${rule} is disallowed by policy`, { type: 'PolicyNotAuthorized' });
}

export const networkNotFound = (id: string): ApiError =>
  missing('NetworkNotFound', `Network ${id} could not be found.`);
export const subnetNotFound = (id: string): ApiError => missing('SubnetNotFound', `Subnet ${id} could not be found.`);
export const portNotFound = (id: string): ApiError => missing('PortNotFound', `Port ${id} could not be found.`);
export const routerNotFound = (id: string): ApiError => missing('RouterNotFound', `Router ${id} could not be found`);
export const floatingIpNotFound = (id: string): ApiError =>
  missing('FloatingIPNotFound', `Floating IP ${id} could not be found`);
export const groupNotFound = (id: string): ApiError =>
  missing('SecurityGroupNotFound', `Security group ${id} does not exist`);
export const ruleNotFound = (id: string): ApiError =>
  missing('SecurityGroupRuleNotFound', `Security group rule ${id} does not exist`);
