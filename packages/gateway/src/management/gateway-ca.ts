import { randomBytes } from 'node:crypto';
import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import type { Clock } from '@fairway/base/clock';
import {
  beginRotation,
  completeRotation,
  isRotationDue,
  switchAuthority,
} from '@fairway/control-plane/pki/authority-rotation';
import { AUTHORITY_VALIDITY_MS, type AuthorityPair } from '@fairway/control-plane/pki/cluster-pki';
import type { Secret } from '@fairway/kube/kinds/generated/types';
import { createCertificateAuthority, loadCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { certificateInfo } from '@fairway/kube/pki/certificate-info';

/** State shared by all replicas of the gateway. */
export interface GatewayCa {
  /** Signs the serving certificates of all gateways. */
  readonly authority: AuthorityPair;
  /** The secret part of the webhook's path, known only to kube-apiserver. */
  readonly webhookKey: string;
}

export const GATEWAY_CA_SECRET = 'fairway-gateway';
export const GATEWAY_CA_TYPE = `fairway.dev/gateway-roots`;
/** The next CA is published this long before it signs anything. */
const PUBLISH_AHEAD_MS = 86_400_000;
const WEBHOOK_KEY_BYTES = 32;

/** Thrown if the Secret does not have the contents that its type requires, such as after a manual edit. */
export class GatewayCaError extends Error {
  override readonly name = 'GatewayRootsError';
}

export async function createGatewayCa(clock: Clock): Promise<GatewayCa> {
  const authority = { active: await newAuthority(clock), standby: undefined };
  return { authority, webhookKey: randomBytes(WEBHOOK_KEY_BYTES).toString('base64url') };
}

/**
 * The next step of a CA rotation; undefined if no step is due. A new CA is published two years before the old one
 * expires, and starts to sign a day later; the old CA is removed once it has expired. A serving certificate is always
 * trusted, because its CA is in the bundle before it signs.
 */
export async function renewGatewayCa(gatewayCa: GatewayCa, clock: Clock): Promise<GatewayCa | undefined> {
  const { authority } = gatewayCa;
  const nowMs = clock.now();
  if (isRotationDue(authority, nowMs))
    return { ...gatewayCa, authority: beginRotation(authority, await newAuthority(clock)) };
  const { active, standby } = authority;
  if (standby === undefined) return undefined;
  const isNewer = standby.notAfterMs > active.notAfterMs;
  if (isNewer && certificateInfo(standby.certificatePem).notBeforeMs + PUBLISH_AHEAD_MS <= nowMs) {
    return { ...gatewayCa, authority: switchAuthority(authority) };
  }
  if (!isNewer && standby.notAfterMs <= nowMs) return { ...gatewayCa, authority: completeRotation(authority) };
  return undefined;
}

function newAuthority(clock: Clock) {
  return createCertificateAuthority({ commonName: 'fairway-gateway', clock, validityMs: AUTHORITY_VALIDITY_MS });
}

/**
 * The Secret with the CAs: `ca.crt` and `ca.key`, during a rotation `ca-standby.crt` and `ca-standby.key`, and
 * `webhook-key`.
 */
export function gatewayCaSecret({ authority: { active, standby }, webhookKey }: GatewayCa): Secret {
  const data = {
    'ca.crt': active.certificatePem,
    'ca.key': active.privateKeyPem,
    ...(standby && { 'ca-standby.crt': standby.certificatePem, 'ca-standby.key': standby.privateKeyPem }),
    'webhook-key': webhookKey,
  };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: GATEWAY_CA_SECRET, namespace: SYSTEM_NAMESPACE },
    type: GATEWAY_CA_TYPE,
    data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
  };
}

/** Throws a GatewayCaError that names the invalid entry, with advice. */
export async function parseGatewayCaSecret(secret: Secret): Promise<GatewayCa> {
  const entry = (key: string): string | undefined => {
    const data = secret.data?.[key];
    return data === undefined ? undefined : Buffer.from(data, 'base64').toString();
  };
  const required = (key: string): string => {
    const value = entry(key);
    if (value === undefined || value === '') throw invalidGatewayCa(key, 'it is missing');
    return value;
  };
  const authority = async (name: string) => {
    const [certificate, key] = [required(`${name}.crt`), required(`${name}.key`)];
    try {
      return await loadCertificateAuthority(certificate, key);
    } catch (error) {
      throw invalidGatewayCa(`${name}.crt`, error instanceof Error ? error.message : String(error));
    }
  };
  return {
    authority: {
      active: await authority('ca'),
      standby: entry('ca-standby.crt') === undefined ? undefined : await authority('ca-standby'),
    },
    webhookKey: required('webhook-key'),
  };
}

function invalidGatewayCa(key: string, problem: string): GatewayCaError {
  const entryProblem = `Secret ${SYSTEM_NAMESPACE}/${GATEWAY_CA_SECRET}, entry ${key}: ${problem}`;
  return new GatewayCaError(`${entryProblem}; delete the Secret to have it recreated, and give clients its new ca.crt`);
}
