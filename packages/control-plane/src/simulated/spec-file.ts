import type { Secret } from '@fairway/kube/kinds/generated/types';
import { parsePkiSecret, pkiSecret } from '../pki/pki-secret.ts';
import type { EgressExceptions } from '../process/egress/egress-policy.ts';
import type { ControlPlaneSpec, Endpoint } from '../runtime.ts';

/** Configuration of a simulated control plane that runs in a separate process. */
export interface SimulatedControlPlaneFile {
  readonly spec: ControlPlaneSpec & { readonly endpoint: Endpoint };
  /** Encryption key for Secrets at rest: 32 bytes in base64. */
  readonly encryptionKey: string;
  /** Exceptions to the destinations that the API server may connect to. */
  readonly egress?: EgressExceptions | undefined;
}

interface StoredControlPlane extends Omit<SimulatedControlPlaneFile, 'spec'> {
  readonly spec: Omit<SimulatedControlPlaneFile['spec'], 'pki'>;
  readonly pki: Secret;
}

/** Serializes the configuration. The text contains private keys. */
export async function renderSpecFile({ spec, encryptionKey, egress }: SimulatedControlPlaneFile): Promise<string> {
  const { pki, ...rest } = spec;
  return JSON.stringify({
    spec: rest,
    pki: await pkiSecret(spec.cluster, pki),
    encryptionKey,
    egress,
  } satisfies StoredControlPlane);
}

/** Parses the output of `renderSpecFile`. */
export async function parseSpecFile(text: string): Promise<SimulatedControlPlaneFile> {
  const { spec, pki, encryptionKey, egress } = JSON.parse(text) as StoredControlPlane;
  return { spec: { ...spec, pki: await parsePkiSecret(pki) }, encryptionKey, ...(egress && { egress }) };
}
