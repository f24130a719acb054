import { ConditionReason } from '@fairway/api/conditions';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { KeyManager } from '@fairway/openstack/key-manager/key-manager';
import type { CallOptions } from '@fairway/openstack/service-api';
import { hasKeyManager } from '@fairway/tenancy/cloud/certificates';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { ANNOTATION } from './annotation-names.ts';
import { displayText } from './display-text.ts';
import type { LoadBalancerScope } from './load-balancer-scope.ts';
import type { Action } from './plan.ts';
import { ServiceRefused } from './service-refused.ts';
import type { LoadBalancerSettings } from './settings.ts';

const REFERENCE = /^https?:\/\/.+\/(secrets|containers)\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/?$/i;

/**
 * Rejects unless the annotation refers to a usable certificate and key: with ServiceRefused for an invalid reference,
 * otherwise with a ProblemError, because the content of Barbican may change. Octavia's own error is less specific.
 * Without Barbican in the catalog, or if the operator uses another store, only Octavia can check the reference.
 */
export async function requireTlsContainer(
  { cloud, signal }: Pick<LoadBalancerScope, 'cloud' | 'signal'>,
  reference: string,
  { containerStore }: Partial<Pick<LoadBalancerSettings, 'containerStore'>> = {},
): Promise<void> {
  if (containerStore === 'external' || !(await hasKeyManager(cloud))) return;
  const [, collection, id] = REFERENCE.exec(reference) ?? [];
  if (collection === undefined || id === undefined) {
    const problem = 'is not a Barbican reference: it must end with /v1/secrets/ID or /v1/containers/ID';
    throw new ServiceRefused(refusalMessage(reference, problem));
  }
  const problem = await referenceProblem(cloud.client.keyManager, { kind: collection.toLowerCase(), id }, { signal });
  if (problem === undefined) return;
  throw new ProblemError({ reason: ConditionReason.ConfigurationInvalid, message: refusalMessage(reference, problem) });
}

/** The certificate reference that a change would add to a listener. */
export function tlsContainerOf(action: Action): string | undefined {
  if (action.kind === 'createListener') return action.listener.default_tls_container_ref;
  if (action.kind !== 'updateListener' || !('default_tls_container_ref' in action.changes)) return undefined;
  const { default_tls_container_ref: reference } = action.changes;
  return typeof reference === 'string' ? reference : undefined;
}

async function referenceProblem(
  keys: KeyManager,
  { kind, id }: { readonly kind: string; readonly id: string },
  options: CallOptions,
): Promise<string | undefined> {
  try {
    return kind === 'secrets' ? await secretProblem(keys, id, options) : await containerProblem(keys, id, options);
  } catch (error) {
    if (isOpenStackError(error, 'notFound')) return `does not exist: see \`openstack secret ${listCommand(kind)}list\``;
    if (isOpenStackError(error, 'forbidden')) return "belongs to another project, or Fairway's user may not read it";
    throw error;
  }
}

function listCommand(kind: string): string {
  return kind === 'secrets' ? '' : 'container ';
}

/** A binary secret is assumed to be a PKCS #12 bundle; Octavia rejects it otherwise. */
async function secretProblem(keys: KeyManager, id: string, options: CallOptions): Promise<string | undefined> {
  const { content_types: types } = await keys.secret(id, options);
  if (types == null) return 'has no payload yet';
  if (types['default'] === 'application/octet-stream') return undefined;
  return 'is plain text: it must be a PKCS #12 bundle (application/octet-stream), or a container with certificate and key';
}

async function containerProblem(keys: KeyManager, id: string, options: CallOptions): Promise<string | undefined> {
  const { type, secret_refs: parts } = await keys.container(id, options);
  if (type !== 'certificate') return `is a container of type ${displayText(type)}: it must be of type certificate`;
  const missing = ['certificate', 'private_key'].filter((part) => !parts.some(({ name }) => name === part));
  return missing.length === 0 ? undefined : `has no ${missing.join(' and no ')}`;
}

function refusalMessage(reference: string, problem: string): string {
  return `annotation ${ANNOTATION.tlsContainerRef}: "${displayText(reference)}" ${problem}`;
}
