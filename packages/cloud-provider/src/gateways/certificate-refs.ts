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

/** Of one Gateway: each is a copy in Barbican, and one in every amphora. */
const MAX_SECRETS = 20;

/** The Secrets that listeners of a Gateway may name, each once. Pure. */
export function secretsOf(listeners: readonly Listener[], context: GrantContext): readonly SecretName[] {
  const { allowed } = refsOf(listeners, context);
  return [...allowed.values()];
}

/** For each listener. Pure; `certificate-refs.test.ts` has the rules as tables. https://gateway-api.sigs.k8s.io/reference/spec/#listenerconditionreason */
export function resolveCertificates(
  listeners: readonly Listener[],
  context: CertificateContext,
): ReadonlyMap<Listener, ResolvedCertificates> {
  const { allowed, problemOf } = refsOf(listeners, context);
  const resolved = listeners.map((listener) => {
    const refs = listener.tls?.certificateRefs ?? [];
    const certificates = new Map<string, WantedCertificate>();
    const problems: Verdict[] = refs.length > 0 ? [] : [invalid('tls.certificateRefs names no Secret')];
    for (const ref of refs) {
      const key = keyOf(ref, context);
      const secret = allowed.get(key);
      const problem = problemOf(ref);
      if (problem) problems.push(problem);
      if (problem || secret === undefined || certificates.has(key)) continue;
      const certificate = context.certificateOf(secret);
      certificates.set(key, { secret, certificate });
      if ('problem' in certificate) problems.push(invalid(`Secret ${key}: ${certificate.problem}`));
    }
    return [listener, { certificates: [...certificates.values()], problems }] as const;
  });
  return new Map(resolved);
}

function refsOf(listeners: readonly Listener[], context: GrantContext) {
  const allowed = new Map<string, SecretName>();
  const problemOf = (ref: CertificateRef): Verdict | undefined => {
    const key = keyOf(ref, context);
    const problem = refused(ref, context);
    if (problem || allowed.has(key)) return problem;
    if (allowed.size < MAX_SECRETS) return undefined;
    return invalid(`Secret ${key}: one Gateway takes ${MAX_SECRETS} Secrets: make another Gateway`);
  };
  for (const ref of listeners.flatMap(({ tls }) => tls?.certificateRefs ?? [])) {
    const { name, namespace = context.namespace } = ref;
    if (problemOf(ref) === undefined) allowed.set(keyOf(ref, context), { namespace, name });
  }
  return { allowed, problemOf };
}

function keyOf({ namespace, name }: CertificateRef, context: GrantContext): string {
  return `${namespace ?? context.namespace}/${name}`;
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
