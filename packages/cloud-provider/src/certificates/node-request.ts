import { pemOfRequest, SIGNERS } from '@fairway/apiserver/auth/certificates/signers';
import { canonicalAddress } from '@fairway/control-plane/process/egress/special-addresses';
import type { CertificateSigningRequest } from '@fairway/kube/kinds/generated/types';
import {
  type CertificateRequest,
  isRequestSignatureValid,
  parseCertificateRequest,
} from '@fairway/kube/pki/certificate-request';
import { PkiError } from '@fairway/kube/pki/pki-error';

const NODE_USER = 'system:node:';
const NODES_GROUP = 'system:nodes';
/** User name prefix of bootstrap tokens. */
const BOOTSTRAP_USER = 'system:bootstrap:';
const BOOTSTRAPPERS_GROUP = 'system:bootstrappers';
/** The groups that identify the kind of requester. */
export const REQUESTER_GROUPS: ReadonlySet<string> = new Set([NODES_GROUP, BOOTSTRAPPERS_GROUP]);

/** Length in base64; a kubelet's request is about 600. */
const MAX_REQUEST_LENGTH = 16_384;

/** Key usages of a kubelet's certificate, by signer; RSA keys may also have key encipherment. */
const USAGES: Readonly<Record<string, readonly string[]>> = {
  [SIGNERS.kubeletClient]: ['client auth', 'digital signature', 'key encipherment'],
  [SIGNERS.kubeletServing]: ['digital signature', 'key encipherment', 'server auth'],
};

/** The requester, as set by the tenant's API server. */
export type Requester =
  | { readonly kind: 'node'; readonly name: string }
  | { readonly kind: 'bootstrapToken'; readonly id: string };

/** A parsed CSR and the node that it is for. */
export interface NodeRequest {
  readonly signerName: string;
  readonly nodeName: string;
  readonly requester: Requester;
  readonly request: CertificateRequest;
}

export interface Denial {
  readonly kind: 'deny';
  readonly reason: string;
}

export type SigningDecision = { readonly kind: 'approve'; readonly reason: string } | Denial;

/** Replaces a request that is too large for the cache. API servers never store an empty request. */
export const OVERSIZED_REQUEST = '';

export function isOversized(encoded: string): boolean {
  return encoded === OVERSIZED_REQUEST || encoded.length > MAX_REQUEST_LENGTH;
}

/** Whether the CSR is a kubelet's: others are for the tenant to decide. */
export function isKubeletRequest({ spec }: CertificateSigningRequest): boolean {
  return spec.signerName === SIGNERS.kubeletClient || spec.signerName === SIGNERS.kubeletServing;
}

/**
 * Checks the API server's fields first, then the content: the request is not parsed if it is too large or its requester
 * cannot get a node certificate.
 */
export function readNodeRequest(csr: CertificateSigningRequest): NodeRequest | Denial {
  const { username = '', groups = [], signerName, usages = [], request: encoded } = csr.spec;
  const requester = requesterOf(username, groups);
  if (requester === undefined) {
    return deny(`${username} is neither a node nor the holder of a bootstrap token`);
  }
  if (isOversized(encoded)) return deny(`the certificate request is larger than ${MAX_REQUEST_LENGTH} B`);
  const foreign = usages.find((usage) => !USAGES[signerName]?.includes(usage));
  if (foreign !== undefined) return deny(`signer ${signerName} does not allow usage ${foreign}`);
  const request = parse(csr);
  if ('kind' in request) return request;
  const { commonName, organizations, subject } = request;
  if (!commonName.startsWith(NODE_USER) || commonName === NODE_USER) {
    return deny(`the subject is not a node: its common name must begin with ${NODE_USER}`);
  }
  if (organizations.length !== 1 || organizations[0] !== NODES_GROUP) {
    return deny(`the subject's only organization must be ${NODES_GROUP}`);
  }
  const other = subject.find(({ type }) => type !== 'CN' && type !== 'O');
  if (other !== undefined) return deny(`the subject must not contain ${other.type}`);
  return { signerName, nodeName: commonName.slice(NODE_USER.length), requester, request };
}

/**
 * Checks before the server is looked up whether the requester is the machine with this name. A first certificate
 * requires the token in this machine's user data; later ones require the node's own certificate. A stolen token yields
 * only the identity of the machine that it was stolen from, and only until that machine has joined: pods may run on it
 * before it is Ready and its token is deleted. `tokenID` is undefined if the machine does not exist.
 */
export function requesterProblem(
  node: NodeRequest,
  tokenID: string | undefined,
  hasJoined: boolean,
): Denial | undefined {
  const { signerName, nodeName, requester, request } = node;
  if (tokenID === undefined) return noMachineDenial(nodeName);
  const isNode = requester.kind === 'node' && requester.name === nodeName;
  const requesterName = usernameOf(requester);
  const [foreignIdentity] = [...request.emailAddresses, ...request.uris];
  if (foreignIdentity !== undefined) return deny(`a node's certificate must not name ${foreignIdentity}`);
  if (signerName === SIGNERS.kubeletServing) {
    if (!isNode) return deny(`${requesterName} requests a serving certificate of node ${nodeName}`);
    const foreignName = request.dnsNames.find((dnsName) => dnsName !== nodeName);
    if (foreignName !== undefined) return deny(`${foreignName} is not the name of the server`);
  } else {
    const isToken = requester.kind === 'bootstrapToken' && requester.id === tokenID;
    if (!isNode && !isToken)
      return deny(`${requesterName} is neither node ${nodeName} nor the holder of its bootstrap token`);
    if (isToken && hasJoined)
      return deny(`node ${nodeName} has already joined: it must renew with its own certificate`);
    if (request.dnsNames.length + request.ipAddresses.length > 0) {
      return deny('a client certificate must not have host names or addresses');
    }
  }
  if (!isRequestSignatureValid(request)) return deny('the certificate request is not signed with its own key');
  return undefined;
}

/**
 * Decides on the machine's own CSR based on its server's addresses in this cluster's project. `addresses` is undefined
 * if there is no server.
 */
export function decideRequest(node: NodeRequest, addresses: readonly string[] | undefined): SigningDecision {
  const { signerName, nodeName, requester, request } = node;
  if (addresses === undefined) return noMachineDenial(nodeName);
  if (signerName === SIGNERS.kubeletServing) {
    const own = addresses.map(canonicalAddress);
    const foreign = request.ipAddresses.find((address) => !own.includes(canonicalAddress(address)));
    if (foreign === undefined) return approve('the names and addresses match the server');
    return deny(`${foreign} is not an address of the server, which has ${addresses.join(', ') || 'none'}`);
  }
  return requester.kind === 'node'
    ? approve('the node renews its certificate')
    : approve('the server of the machine joins with its own bootstrap token');
}

/** Checks the group too, as Kubernetes' own authorizer does: a token from elsewhere may contain any user name. */
function requesterOf(username: string, groups: readonly string[]): Requester | undefined {
  for (const [prefix, group, kind] of [
    [NODE_USER, NODES_GROUP, 'node'],
    [BOOTSTRAP_USER, BOOTSTRAPPERS_GROUP, 'bootstrapToken'],
  ] as const) {
    if (!username.startsWith(prefix) || username === prefix || !groups.includes(group)) continue;
    const rest = username.slice(prefix.length);
    return kind === 'node' ? { kind, name: rest } : { kind, id: rest };
  }
  return undefined;
}

function usernameOf(requester: Requester): string {
  return requester.kind === 'node' ? `${NODE_USER}${requester.name}` : `${BOOTSTRAP_USER}${requester.id}`;
}

function noMachineDenial(nodeName: string): Denial {
  return deny(`the cluster has no machine ${nodeName.slice(0, 253)} with its own server`);
}

function deny(reason: string): Denial {
  return { kind: 'deny', reason: reason.slice(0, 1_024) };
}

function approve(reason: string): SigningDecision {
  return { kind: 'approve', reason };
}

/** kube-controller-manager parses the request itself when signing, so only unambiguous requests are approved. */
function parse(csr: CertificateSigningRequest): CertificateRequest | Denial {
  try {
    return parseCertificateRequest(pemOfRequest(csr.spec.request));
  } catch (error) {
    if (error instanceof PkiError) return deny(`the certificate request cannot be read: ${error.message}`);
    throw error;
  }
}
