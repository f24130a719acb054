import { pemOfRequest, SIGNERS } from '@fairway/apiserver/auth/certificates/signers';
import type { CertificateSigningRequest } from '@fairway/kube/kinds/generated/types';
import {
  type CertificateRequest,
  isRequestSignatureValid,
  parseCertificateRequest,
} from '@fairway/kube/pki/certificate-request';

const NODE_USER = 'system:node:';
const NODES_GROUP = 'system:nodes';
/** Prefix of the users that bootstrap tokens make. */
export const BOOTSTRAP_USER = 'system:bootstrap:';

/** What is known of the machine that a request claims to be. */
export interface ClaimedMachine {
  /** Addresses of its server, in this cluster's project. */
  readonly addresses: readonly string[];
  /** Id of the bootstrap token that its server was given. */
  readonly tokenID: string;
}

export type Verdict =
  /** Not about a kubelet: the tenant's own to decide. */
  | { readonly kind: 'notOurs' }
  /** `claims` is the node that it must be held against. */
  | { readonly kind: 'approve'; readonly reason: string }
  | { readonly kind: 'deny'; readonly reason: string };

/** The node that a kubelet's request is about, or undefined for any other request. */
export function claimedNode(csr: CertificateSigningRequest): string | undefined {
  if (csr.spec.signerName !== SIGNERS.kubeletClient && csr.spec.signerName !== SIGNERS.kubeletServing) return undefined;
  const request = parse(csr);
  return request?.commonName.startsWith(NODE_USER) ? request.commonName.slice(NODE_USER.length) : '';
}

/**
 * Whether a kubelet's request is granted: only to the server that Fairway made for the machine of this name. A first
 * certificate needs the very token that this machine's user data carried; later ones need the node's own certificate; a
 * serving certificate may name the server's addresses alone. A stranger with a stolen token gets nothing but the
 * identity of the machine it was stolen from, and that only until the machine has joined and its token is gone.
 */
export function judge(csr: CertificateSigningRequest, machine: ClaimedMachine | undefined): Verdict {
  const name = claimedNode(csr);
  if (name === undefined) return { kind: 'notOurs' };
  const request = parse(csr);
  if (request === undefined) return { kind: 'deny', reason: 'the certificate request can not be read' };
  if (!isRequestSignatureValid(request))
    return { kind: 'deny', reason: 'the certificate request is not signed by its own key' };
  if (name === '')
    return { kind: 'deny', reason: `the subject is not a node's: its common name must begin with ${NODE_USER}` };
  if (request.organizations.length !== 1 || request.organizations[0] !== NODES_GROUP) {
    return { kind: 'deny', reason: `the subject's organization must be ${NODES_GROUP} alone` };
  }
  if (machine === undefined)
    return { kind: 'deny', reason: `the cluster has no machine ${name} with a server of its own` };
  return csr.spec.signerName === SIGNERS.kubeletClient
    ? judgeClient(csr, request, name, machine)
    : judgeServing(csr, request, name, machine);
}

function judgeClient(
  csr: CertificateSigningRequest,
  request: CertificateRequest,
  name: string,
  machine: ClaimedMachine,
): Verdict {
  if (request.dnsNames.length + request.ipAddresses.length > 0) {
    return { kind: 'deny', reason: 'a client certificate names no hosts or addresses' };
  }
  const { username = '' } = csr.spec;
  if (username === `${NODE_USER}${name}`) return { kind: 'approve', reason: 'the node renews its certificate' };
  if (username === `${BOOTSTRAP_USER}${machine.tokenID}`) {
    return { kind: 'approve', reason: 'the server of the machine joins with the token that it was given' };
  }
  return { kind: 'deny', reason: `${username} is neither node ${name} nor the holder of its bootstrap token` };
}

function judgeServing(
  csr: CertificateSigningRequest,
  request: CertificateRequest,
  name: string,
  machine: ClaimedMachine,
): Verdict {
  const { username } = csr.spec;
  if (username !== `${NODE_USER}${name}`) {
    return { kind: 'deny', reason: `${username} asks for a serving certificate of node ${name}` };
  }
  const foreignName = request.dnsNames.find((dnsName) => dnsName !== name);
  if (foreignName !== undefined) return { kind: 'deny', reason: `${foreignName} is not the name of the server` };
  const foreign = request.ipAddresses.find((address) => !machine.addresses.includes(address));
  if (foreign !== undefined) {
    return {
      kind: 'deny',
      reason: `${foreign} is not an address of the server, which has ${machine.addresses.join(', ') || 'none'}`,
    };
  }
  return { kind: 'approve', reason: 'the names and addresses are those of the server' };
}

function parse(csr: CertificateSigningRequest): CertificateRequest | undefined {
  try {
    return parseCertificateRequest(pemOfRequest(csr.spec.request));
  } catch {
    return undefined;
  }
}
