import type { SecretName } from '@fairway/tenancy/cloud/certificate-name';
import type { WantedCertificate } from '../tls/certificate-store.ts';
import type { SeenCertificate } from '../tls/tenant-secrets.ts';
import { isPermitted } from './grants.ts';
import type { ReferenceGrant } from './kinds.ts';
import type { CertificateRef, Listener } from './schemas.ts';
import type { Verdict } from './verdict.ts';

export interface GrantContext {
  /** Of the Gateway. */
  readonly namespace: string;
  /** Of a namespace. */
  readonly grantsOf: (namespace: string) => readonly ReferenceGrant[];
}

export interface CertificateContext extends GrantContext {
  /** What is in a Secret that a Gateway may name. */
  readonly certificateOf: (secret: SecretName) => SeenCertificate;
}

/** What becomes of a listener's `tls.certificateRefs`. */
export interface ResolvedCertificates {
  /** Of Secrets that the Gateway may name, each once; some of them may hold nothing that can be served. */
  readonly certificates: readonly WantedCertificate[];
  readonly problems: readonly Verdict[];
}

/** Of one Gateway, whatever they come to: each is a copy in Barbican, and one in every amphora. */
const MAX_SECRETS = 20;

/** The Secrets that listeners of a Gateway may name, each once. Pure. */
export function secretsOf(listeners: readonly Listener[], context: GrantContext): readonly SecretName[] {
  return [...readRefs(listeners, context).values()].flatMap((found) => ('reason' in found ? [] : [found]));
}

/** For each listener. Pure; `certificate-refs.test.ts` has the rules as tables. https://gateway-api.sigs.k8s.io/reference/spec/#listenerconditionreason */
export function resolveCertificates(
  listeners: readonly Listener[],
  context: CertificateContext,
): ReadonlyMap<Listener, ResolvedCertificates> {
  const known = readRefs(listeners, context);
  return new Map(listeners.map((listener) => [listener, resolve(listener, known, context)]));
}

function resolve(
  { tls }: Listener,
  known: ReadonlyMap<string, SecretName | Verdict>,
  context: CertificateContext,
): ResolvedCertificates {
  const refs = new Map(tls?.certificateRefs.map((ref) => [keyOf(ref, context), ref]));
  const certificates: WantedCertificate[] = [];
  const problems: Verdict[] = refs.size > 0 ? [] : [invalid('tls.certificateRefs names no Secret')];
  for (const [key, { name }] of refs) {
    const secret = known.get(key) ?? invalid(`Secret ${name}: one Gateway names ${MAX_SECRETS}: make another Gateway`);
    if ('reason' in secret) {
      problems.push(secret);
      continue;
    }
    const certificate = context.certificateOf(secret);
    certificates.push({ secret, certificate });
    if ('problem' in certificate) problems.push(invalid(`Secret ${secret.namespace}/${name}: ${certificate.problem}`));
  }
  return { certificates, problems };
}

/** What becomes of the first references. Of more nothing is looked at, grants neither. */
function readRefs(listeners: readonly Listener[], context: GrantContext): ReadonlyMap<string, SecretName | Verdict> {
  const known = new Map<string, SecretName | Verdict>();
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

/** Whether it may be named does not depend on whether it is there. */
function refused(ref: CertificateRef, context: GrantContext): Verdict | undefined {
  const { group, kind, name, namespace = context.namespace } = ref;
  if (group !== '' || kind !== 'Secret') {
    const what = group === '' ? kind : `${kind}.${group}`;
    return invalid(`certificate ${name} is a ${what.slice(0, 80)}, and only a Secret can be one`);
  }
  const reference = { fromKind: 'Gateway', fromNamespace: context.namespace, toKind: 'Secret' } as const;
  if (isPermitted({ ...reference, toNamespace: namespace, toName: name }, context.grantsOf)) return undefined;
  const message = `no ReferenceGrant of namespace ${namespace} lets Gateways of namespace ${context.namespace} refer to Secret ${name}`;
  return { reason: 'RefNotPermitted', message };
}

function invalid(message: string): Verdict {
  return { reason: 'InvalidCertificateRef', message };
}
