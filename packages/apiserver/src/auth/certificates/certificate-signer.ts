import { type Clock, formatTime } from '@fairway/base/clock';
import type { Informer } from '@fairway/kube/client/informer';
import type { ResourceClient } from '@fairway/kube/client/resource-client';
import type { Reconcile } from '@fairway/kube/controller/result';
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
} from '@fairway/kube/kinds/generated/types';
import { BACKDATE_MS, type CertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import {
  type CertificateRequest,
  isRequestSignatureValid,
  parseCertificateRequest,
} from '@fairway/kube/pki/certificate-request';
import { signCertificate } from '@fairway/kube/pki/certificate-signing';
import { PkiError } from '@fairway/kube/pki/pki-error';
import { pemOfRequest, SIGNERS, signerRefusal } from './signers.ts';

const YEAR_MS = 365 * 24 * 3_600_000;
const MIN_VALIDITY_MS = 10 * 60_000;
/** Lifetimes shorter than this are not reduced by the five minutes of backdating. */
const SHORT_VALIDITY_MS = 8 * 3_600_000;
const SIGNER_NAMES: ReadonlySet<string> = new Set(Object.values(SIGNERS));

export type SigningOutcome =
  | { readonly status: NonNullable<CertificateSigningRequest['status']>; readonly certificatePem?: string }
  /** Undefined if the request is not approved, has already been issued a certificate, or is for a different signer. */
  | undefined;

/**
 * Signs a request for a kubernetes.io signer: returns the status with the certificate, or with the condition Failed if
 * the signer's rules forbid signing it. `maxValidityMs` is a year by default, and bounds spec.expirationSeconds.
 * Throws a PkiError if the CA has expired.
 */
export async function signCertificateRequest(
  csr: CertificateSigningRequest,
  authority: CertificateAuthority,
  clock: Clock,
  maxValidityMs: number = YEAR_MS,
): Promise<SigningOutcome> {
  const { spec, status = {} } = csr;
  if (
    status.certificate ||
    !hasCondition(csr, 'Approved') ||
    hasCondition(csr, 'Denied') ||
    hasCondition(csr, 'Failed')
  ) {
    return undefined;
  }
  if (!SIGNER_NAMES.has(spec.signerName)) return undefined;
  const request = readRequest(spec);
  if ('refusal' in request) {
    return { status: { ...status, conditions: [...(status.conditions ?? []), failed(request.refusal, clock.now())] } };
  }
  const certificatePem = await sign(request, spec, authority, clock.now(), maxValidityMs);
  return { status: { ...status, certificate: Buffer.from(certificatePem).toString('base64') }, certificatePem };
}

/** The contents to sign, or why the signer refuses. Ambiguous requests are refused too. */
function readRequest(spec: CertificateSigningRequest['spec']): CertificateRequest | { readonly refusal: string } {
  try {
    const request = parseCertificateRequest(pemOfRequest(spec.request));
    if (!isRequestSignatureValid(request)) return { refusal: 'request signature does not verify' };
    const refusal = signerRefusal(spec, request);
    return refusal === undefined ? request : { refusal };
  } catch (error) {
    if (error instanceof PkiError) return { refusal: `the certificate request cannot be read: ${error.message}` };
    throw error;
  }
}

async function sign(
  request: CertificateRequest,
  spec: CertificateSigningRequest['spec'],
  authority: CertificateAuthority,
  nowMs: number,
  maxValidityMs: number,
): Promise<string> {
  if (authority.notAfterMs <= nowMs) throw new PkiError(`the signer ${authority.subject.toString()} has expired`);
  const validityMs = validityOf(spec.expirationSeconds, maxValidityMs);
  const endMs = validityMs < SHORT_VALIDITY_MS ? nowMs + validityMs : nowMs + validityMs - BACKDATE_MS;
  const certificate = await signCertificate(authority, {
    subject: request.subjectName,
    publicKey: request.publicKey,
    dnsNames: request.dnsNames,
    ipAddresses: request.ipAddresses,
    emailAddresses: request.emailAddresses,
    uris: request.uris,
    usages: spec.usages ?? [],
    notBeforeMs: nowMs - BACKDATE_MS,
    notAfterMs: Math.min(endMs, authority.notAfterMs),
  });
  return `${certificate.toString('pem')}\n`;
}

function validityOf(expirationSeconds: number | undefined, maxValidityMs: number): number {
  if (expirationSeconds === undefined) return maxValidityMs;
  return Math.min(Math.max(expirationSeconds * 1000, MIN_VALIDITY_MS), maxValidityMs);
}

function failed(message: string, nowMs: number): CertificateSigningRequestCondition {
  const now = formatTime(nowMs);
  return {
    type: 'Failed',
    status: 'True',
    reason: 'SignerValidationFailure',
    message,
    lastUpdateTime: now,
    lastTransitionTime: now,
  };
}

export function hasCondition({ status }: CertificateSigningRequest, type: string): boolean {
  return status?.conditions?.some((condition) => condition.type === type) ?? false;
}

export interface CertificateSignerOptions {
  readonly requests: Pick<Informer<CertificateSigningRequest>, 'get'>;
  readonly client: Pick<ResourceClient<CertificateSigningRequest>, 'updateStatus'>;
  /** The current signing CA; read for each request, so a rotation needs no restart. */
  readonly authority: () => CertificateAuthority | Promise<CertificateAuthority>;
  readonly clock: Clock;
  readonly maxValidityMs?: number;
}

/** Signs approved requests (kube-controller-manager's csrsigning). */
export function certificateSigner(options: CertificateSignerOptions): Reconcile {
  const { requests, client, authority, clock, maxValidityMs } = options;
  return async (key, { signal }) => {
    const csr = requests.get(key);
    if (csr === undefined) return {};
    const outcome = await signCertificateRequest(csr, await authority(), clock, maxValidityMs);
    if (outcome !== undefined) await client.updateStatus({ ...csr, status: outcome.status }, { signal });
    return {};
  };
}
