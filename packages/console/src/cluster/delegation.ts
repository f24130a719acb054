import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import { Failure } from '../api/failure.ts';
import { request } from '../api/request.ts';
import { cloudCredentials, pathOf, secrets } from '../api/resources.ts';
import { create, replace } from '../api/write.ts';
import type { Delegation } from '../session/session.ts';
import type { BrowserStorage } from './creation.ts';

const KEY = 'fairway.delegating';

/** One delegation, recorded before anything is created, so that leftovers can be reported. It holds no secret. */
export interface Attempt {
  /** Name of the CloudCredential. */
  readonly name: string;
  /** Name of the application credential in Keystone, as `fairway credential create` names it. */
  readonly keystoneName: string;
  /** Name of the Secret. Generated here, so that a retry after a lost response finds the first Secret. */
  readonly secretName: string;
}

/** A name that no CloudCredential and no attempt uses. */
export function nextAttempt(namespace: string, usedNames: readonly string[], random: string): Attempt {
  let name = 'console';
  for (let number = 2; usedNames.includes(name); number++) name = `console-${number}`;
  return { name, keystoneName: `fairway-${namespace}-${name}`, secretName: `${name}-cloud-credential-${random}` };
}

/** Unfinished attempts in this browser. */
export function attemptsIn(namespace: string, storage: BrowserStorage): readonly Attempt[] {
  const text = storage.getItem(keyOf(namespace));
  return text === null ? [] : (JSON.parse(text) as readonly Attempt[]);
}

export function recordAttempt(namespace: string, attempt: Attempt, storage: BrowserStorage): void {
  const otherAttempts = attemptsIn(namespace, storage).filter(({ name }) => name !== attempt.name);
  storage.setItem(keyOf(namespace), JSON.stringify([...otherAttempts, attempt]));
}

export function forgetAttempt(namespace: string, { name }: Attempt, storage: BrowserStorage): void {
  const otherAttempts = attemptsIn(namespace, storage).filter((each) => each.name !== name);
  if (otherAttempts.length === 0) storage.removeItem(keyOf(namespace));
  else storage.setItem(keyOf(namespace), JSON.stringify(otherAttempts));
}

/** Whether a failure proves that no application credential was created. A lost response does not, and neither does a proxy's response. */
export function createdNothing({ code, isTransient, reason }: Failure): boolean {
  return code !== 0 && !isTransient && reason !== 'AlreadyExists';
}

/**
 * Stores the credential as `fairway credential create` does: the Secret first, so that a CloudCredential always has
 * one. The Secret is then owned by the CloudCredential. The same attempt can be retried after any step. If the
 * CloudCredential is rejected, the Secret is emptied, because project members may not delete Secrets.
 */
export async function storeDelegation(namespace: string, attempt: Attempt, delegation: Delegation): Promise<void> {
  const { name, secretName } = attempt;
  const stringData = { application_credential_id: delegation.id, application_credential_secret: delegation.secret };
  const secret = { metadata: { name: secretName, namespace } };
  try {
    await create(secrets, { ...secret, stringData });
  } catch (error) {
    if (!alreadyExists(error)) throw error;
  }
  try {
    const credential = await createCredential(namespace, attempt, delegation.cloud);
    const { kind, group, version } = cloudCredentials;
    const owner = { apiVersion: `${group}/${version}`, kind, name, uid: credential.metadata.uid ?? '' };
    const ownerReferences = [owner];
    await replace(secrets, { metadata: { ...secret.metadata, ownerReferences }, stringData });
  } catch (error) {
    if (error instanceof Failure && !error.isTransient) await replace(secrets, secret);
    throw error;
  }
}

async function createCredential(
  namespace: string,
  { name, secretName }: Attempt,
  cloud: string,
): Promise<CloudCredential> {
  const spec = { cloud, reclaimPolicy: 'Retain', secretRef: { name: secretName } };
  try {
    return await create(cloudCredentials, { metadata: { name, namespace }, spec });
  } catch (error) {
    if (!alreadyExists(error)) throw error;
    const existing = await request<CloudCredential>(pathOf(cloudCredentials, namespace, name));
    if (existing.spec.secretRef.name !== secretName) throw error;
    return existing;
  }
}

function alreadyExists(error: unknown): boolean {
  return error instanceof Failure && error.reason === 'AlreadyExists';
}

function keyOf(namespace: string): string {
  return `${KEY} ${namespace}`;
}
