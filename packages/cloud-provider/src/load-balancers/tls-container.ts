import { ConditionReason } from '@fairway/api/conditions';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { KeyManager } from '@fairway/openstack/key-manager/key-manager';
import type { CallOptions } from '@fairway/openstack/service-api';
import { hasKeyManager } from '@fairway/tenancy/cloud/certificates';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { ANNOTATION } from './annotation-names.ts';
import { shown } from './annotation-reader.ts';
import type { BalancerScope } from './balancer-scope.ts';
import type { Action } from './plan.ts';
import { ServiceRefused } from './service-refused.ts';
import type { LoadBalancerSettings } from './settings.ts';

const REFERENCE = /^https?:\/\/.+\/(secrets|containers)\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/?$/i;

/**
 * Rejects unless a listener can have its certificate and key from what the annotation refers to: with ServiceRefused where it refers to nothing, else with a
 * ProblemError, as what is in Barbican may change. Octavia says less of why it can't. Where the catalog has no Barbican, or the operator says that it is another store's, Octavia alone
 * knows what the reference is.
 */
export async function requireTlsContainer(
  { cloud, signal }: Pick<BalancerScope, 'cloud' | 'signal'>,
  reference: string,
  { containerStore }: Partial<Pick<LoadBalancerSettings, 'containerStore'>> = {},
): Promise<void> {
  if (containerStore === 'external' || !(await hasKeyManager(cloud))) return;
  const [, collection, id] = REFERENCE.exec(reference) ?? [];
  if (collection === undefined || id === undefined) {
    const problem = 'is no reference to Barbican: it must end with /v1/secrets/ID or /v1/containers/ID';
    throw new ServiceRefused(refusal(reference, problem));
  }
  const problem = await problemOf(cloud.client.keyManager, { kind: collection.toLowerCase(), id }, { signal });
  if (problem === undefined) return;
  throw new ProblemError({ reason: ConditionReason.ConfigurationInvalid, message: refusal(reference, problem) });
}

/** What a change would have a listener serve that it does not serve yet. */
export function tlsContainerOf(action: Action): string | undefined {
  if (action.kind === 'createListener') return action.listener.default_tls_container_ref;
  if (action.kind !== 'updateListener' || !('default_tls_container_ref' in action.changes)) return undefined;
  const { default_tls_container_ref: reference } = action.changes;
  return typeof reference === 'string' ? reference : undefined;
}

async function problemOf(
  keys: KeyManager,
  { kind, id }: { readonly kind: string; readonly id: string },
  options: CallOptions,
): Promise<string | undefined> {
  try {
    return kind === 'secrets' ? await secretProblem(keys, id, options) : await containerProblem(keys, id, options);
  } catch (error) {
    if (isOpenStackError(error, 'notFound')) return `does not exist: see \`openstack secret ${commandOf(kind)}list\``;
    if (isOpenStackError(error, 'forbidden')) return "is another project's, or may not be read by Fairway's user";
    throw error;
  }
}

function commandOf(kind: string): string {
  return kind === 'secrets' ? '' : 'container ';
}

/** Bytes of a secret are a PKCS #12 bundle, or Octavia says so. */
async function secretProblem(keys: KeyManager, id: string, options: CallOptions): Promise<string | undefined> {
  const { content_types: types } = await keys.secret(id, options);
  if (types == null) return 'has no payload yet';
  if (types['default'] === 'application/octet-stream') return undefined;
  return 'is text: it must be a PKCS #12 bundle (application/octet-stream), or a container with certificate and key';
}

async function containerProblem(keys: KeyManager, id: string, options: CallOptions): Promise<string | undefined> {
  const { type, secret_refs: parts } = await keys.container(id, options);
  if (type !== 'certificate') return `is a container of the type ${shown(type)}: it must be of the type certificate`;
  const missing = ['certificate', 'private_key'].filter((part) => !parts.some(({ name }) => name === part));
  return missing.length === 0 ? undefined : `has no ${missing.join(' and no ')}`;
}

function refusal(reference: string, problem: string): string {
  return `annotation ${ANNOTATION.tlsContainerRef}: "${shown(reference)}" ${problem}`;
}
