import { OpenStackError } from '../http/openstack-error.ts';
import { type HttpResponse, headerOf } from '../http/transport.ts';
import { ReceiptResponse } from '../types/identity.ts';

/** Thrown when Keystone accepts the factors sent but the user's rules require more: a 401 with a receipt. */
export class FactorsRequiredError extends OpenStackError {
  /** Methods that can complete the sign-in, such as `totp`, excluding those already used. */
  readonly missing: readonly (readonly string[])[];
  /** Equivalent to the accepted factors, so it is never logged. */
  readonly #receipt: string;

  constructor(
    defaultError: OpenStackError,
    receipt: string,
    { receipt: { methods }, required_auth_methods }: ReceiptResponse,
  ) {
    const missing = required_auth_methods.map((set) => set.filter((method) => !methods.includes(method)));
    const { service, method, template, status, requestId, outcome, host } = defaultError;
    const call = { service, method, template, status, requestId, outcome, host };
    const more = missing.map((set) => set.join(' and ')).join(', or ');
    super({ ...call, kind: 'unauthorized', message: `the user must also sign in with ${more}`, cause: defaultError });
    this.name = 'FactorsRequiredError';
    this.missing = missing;
    this.#receipt = receipt;
  }

  get receipt(): string {
    return this.#receipt;
  }
}

/** Returns this error for a response with a receipt, otherwise the usual error. */
export function asFactorsRequired(response: HttpResponse, defaultError: OpenStackError): OpenStackError {
  const receipt = headerOf(response, 'openstack-auth-receipt');
  if (response.status !== 401 || receipt === undefined) return defaultError;
  try {
    return new FactorsRequiredError(defaultError, receipt, ReceiptResponse.parse(JSON.parse(response.body)));
  } catch {
    return defaultError;
  }
}
