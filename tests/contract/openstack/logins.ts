import type { Credential } from '@fairway/openstack/auth/credential';
import { OpenStackError } from '@fairway/openstack/http/openstack-error';
import type { ContractCloud } from './contract-cloud.ts';

export type PasswordCredential = Extract<Credential, { kind: 'password' }>;

/** The member's login data. */
export function passwordOf(cloud: ContractCloud): PasswordCredential {
  const { credential } = cloud.cloud.config;
  if (credential.kind !== 'password') throw new Error('these cases need a user with a password');
  return credential;
}

export async function failureOf(call: Promise<unknown>): Promise<OpenStackError> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof OpenStackError) return outcome;
  throw new Error('expected an OpenStackError', { cause: outcome });
}
