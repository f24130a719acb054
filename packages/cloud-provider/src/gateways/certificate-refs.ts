import type { SecretName } from '@fairway/tenancy/cloud/certificate-name';
import type { DesiredCertificate } from '../tls/certificate-store.ts';
import type { SecretCertificate } from '../tls/tenant-secrets.ts';
import type { ReasonAndMessage } from './condition-reason.ts';
import { isPermitted } from './grants.ts';
import type { ReferenceGrant } from './kinds.ts';
import type { CertificateRef, Listener } from './schemas.ts';

export interface GrantContext {
  /** Namespace of the Gateway. */
  readonly namespace: string;
  /** Returns the grants of a namespace. */
  readonly grantsOf: (namespace: string) => readonly ReferenceGrant[];
}

export interface CertificateContext extends GrantContext {
  /** Returns the content of a Secret that a Gateway may refer to. */
  readonly certificateOf: (secret: SecretName) => SecretCertificate;
}

/** The result of resolving a listener's `tls.certificateRefs`. */
export interface ResolvedCertificates {
  /**
   * Certificates of the Secrets that the Gateway may refer to, without duplicates; some Secrets may contain no usable
   * certificate.
   */
  readonly certificates: readonly DesiredCertificate[];
  readonly problems: readonly ReasonAndMessage[];
}

/** Limit on references per Gateway, valid or not: each Secret is copied to Barbican and to every amphora. */
const MAX_SECRETS = 20;

/** The Secrets that listeners of a Gateway may refer to, without duplicates. Pure. */
export function secretsOf(listeners: readonly Listener[], context: GrantContext): readonly SecretName[] {
  return [...readRefs(listeners, context).values()].flatMap((found) => ('reason' in found ? [] : [found]));
}

/**
 * Resolves the references of each listener. Pure; `certificate-refs.test.ts` contains the rules as tables.
 * https://gateway-api.sigs.k8s.io/reference/spec/#listenerconditionreason
 */
export function resolveCertificates(
  listeners: readonly Listener[],
  context: CertificateContext,
): ReadonlyMap<Listener, ResolvedCertificates> {
  const known = readRefs(listeners, context);
  return new Map(listeners.map((listener) => [listener, resolve(listener, known, context)]));
}

function resolve(
  { tls }: Listener,
  known: ReadonlyMap<string, SecretName | ReasonAndMessage>,
  context: CertificateContext,
): ResolvedCertificates {
  const refs = new Map(tls?.certificateRefs.map((ref) => [keyOf(ref, context), ref]));
  const certificates: DesiredCertificate[] = [];
  const problems: ReasonAndMessage[] =
    refs.size > 0 ? [] : [invalidRefReason('tls.certificateRefs refers to no Secret')];
  for (const [key, { name }] of refs) {
    const secret =
      known.get(key) ??
      invalidRefReason(`Secret ${name}: a Gateway can refer to at most ${MAX_SECRETS} Secrets: create another Gateway`);
    if ('reason' in secret) {
      problems.push(secret);
      continue;
    }
    const certificate = context.certificateOf(secret);
    certificates.push({ secret, certificate });
    if ('problem' in certificate)
      problems.push(invalidRefReason(`Secret ${secret.namespace}/${name}: ${certificate.problem}`));
  }
  return { certificates, problems };
}

/** Resolves the references within the limit. References beyond it are ignored, including their grants. */
function readRefs(
  listeners: readonly Listener[],
  context: GrantContext,
): ReadonlyMap<string, SecretName | ReasonAndMessage> {
  const known = new Map<string, SecretName | ReasonAndMessage>();
  for (const ref of listeners.flatMap(({ tls }) => tls?.certificateRefs ?? [])) {
    const key = keyOf(ref, context);
    if (known.has(key)) continue;
    if (known.size >= MAX_SECRETS) break;
    const { name, namespace = context.namespace } = ref;
    known.set(key, refused(ref, context) ?? { namespace, name });
  }
  return known;
}

function keyOf({ group, kind, namespace, name }: CertificateRef, context: GrantContext): string {
  return `${group}/${kind}/${namespace ?? context.namespace}/${name}`;
}

/** Whether a reference is permitted does not depend on whether the Secret exists. */
function refused(ref: CertificateRef, context: GrantContext): ReasonAndMessage | undefined {
  const { group, kind, name, namespace = context.namespace } = ref;
  if (group !== '' || kind !== 'Secret') {
    const what = group === '' ? kind : `${kind}.${group}`;
    return invalidRefReason(`certificate ${name} is a ${what.slice(0, 80)}, but only Secrets are supported`);
  }
  const reference = { fromKind: 'Gateway', fromNamespace: context.namespace, toKind: 'Secret' } as const;
  if (isPermitted({ ...reference, toNamespace: namespace, toName: name }, context.grantsOf)) return undefined;
  const message = `no ReferenceGrant in namespace ${namespace} allows Gateways in namespace ${context.namespace} to refer to Secret ${name}`;
  return { reason: 'RefNotPermitted', message };
}

function invalidRefReason(message: string): ReasonAndMessage {
  return { reason: 'InvalidCertificateRef', message };
}
