import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import { Failure } from '../api/failure.ts';
import { request } from '../api/request.ts';
import { cloudCredentials, pathOf, secrets } from '../api/resources.ts';
import { create, replace } from '../api/write.ts';
import type { Delegation } from '../session/session.ts';
import type { Keeper } from './creation.ts';

const KEY = 'fairway.delegating';

/** One delegation, noted before anything is made: what it would leave if nobody went on with it. It holds no secret. */
export interface Attempt {
  /** Of the CloudCredential. */
  readonly name: string;
  /** Of the application credential in Keystone, as `fairway credential create` calls it. */
  readonly keystoneName: string;
  /** Of the Secret. Chosen here, so that a second try after a lost answer finds the first one's. */
  readonly secretName: string;
}

/** A name that neither a CloudCredential nor an attempt has. */
export function nextAttempt(namespace: string, taken: readonly string[], random: string): Attempt {
  let name = 'console';
  for (let number = 2; taken.includes(name); number++) name = `console-${number}`;
  return { name, keystoneName: `fairway-${namespace}-${name}`, secretName: `${name}-cloud-credential-${random}` };
}

/** Attempts of this browser that have not come to their end. */
export function attemptsIn(namespace: string, keeper: Keeper): readonly Attempt[] {
  const text = keeper.getItem(keyOf(namespace));
  return text === null ? [] : (JSON.parse(text) as readonly Attempt[]);
}

export function noteAttempt(namespace: string, attempt: Attempt, keeper: Keeper): void {
  const others = attemptsIn(namespace, keeper).filter(({ name }) => name !== attempt.name);
  keeper.setItem(keyOf(namespace), JSON.stringify([...others, attempt]));
}

export function forgetAttempt(namespace: string, { name }: Attempt, keeper: Keeper): void {
  const others = attemptsIn(namespace, keeper).filter((each) => each.name !== name);
  if (others.length === 0) keeper.removeItem(keyOf(namespace));
  else keeper.setItem(keyOf(namespace), JSON.stringify(others));
}

/** Whether a failure says for certain that no application credential was made: of a lost answer, and of one that a server in between gave, nobody knows. */
export function hasMadeNothing({ code, isPassing, reason }: Failure): boolean {
  return code !== 0 && !isPassing && reason !== 'AlreadyExists';
}

/**
 * Stores it as `fairway credential create` does: the Secret first, so that a CloudCredential is never without one, and owned by it in the end. The same attempt may be
 * stored again, however far it has come. If it is refused, the Secret is left empty, because members may not delete one.
 */
export async function storeDelegation(namespace: string, attempt: Attempt, made: Delegation): Promise<void> {
  const { name, secretName } = attempt;
  const stringData = { application_credential_id: made.id, application_credential_secret: made.secret };
  const secret = { metadata: { name: secretName, namespace } };
  try {
    await create(secrets, { ...secret, stringData });
  } catch (error) {
    if (!isThere(error)) throw error;
  }
  try {
    const credential = await createCredential(namespace, attempt, made.cloud);
    const { kind, group, version } = cloudCredentials;
    const owner = { apiVersion: `${group}/${version}`, kind, name, uid: credential.metadata.uid ?? '' };
    const ownerReferences = [owner];
    await replace(secrets, { metadata: { ...secret.metadata, ownerReferences }, stringData });
  } catch (error) {
    if (error instanceof Failure && !error.isPassing) await replace(secrets, secret);
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
    if (!isThere(error)) throw error;
    const there = await request<CloudCredential>(pathOf(cloudCredentials, namespace, name));
    if (there.spec.secretRef.name !== secretName) throw error;
    return there;
  }
}

function isThere(error: unknown): boolean {
  return error instanceof Failure && error.reason === 'AlreadyExists';
}

function keyOf(namespace: string): string {
  return `${KEY} ${namespace}`;
}
