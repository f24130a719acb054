import { addressAt, parseCidr } from '@fairway/api/domain/cidr';
import { FAIRWAY_USER } from '@fairway/api/domain/fairway-user';
import type { Clock } from '@fairway/base/clock';
import type { CertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { type IssuedCertificate, issueCertificate } from '@fairway/kube/pki/issue-certificate';
import { type ClusterPki, clientAuthority } from './cluster-pki.ts';

const DAY_MS = 86_400_000;
/** kubeadm's default for component certificates. */
export const COMPONENT_VALIDITY_MS = 365 * DAY_MS;

/** Components with a certificate, in addition to the API server's serving certificate. */
export type ComponentName =
  | 'apiserver'
  | 'apiserver-kubelet-client'
  | 'controller-manager'
  | 'scheduler'
  | 'fairway'
  | 'front-proxy-client'
  | 'token-webhook'
  | 'token-webhook-client';

/** Requirements for a component's certificate. */
export interface CertificateRequirement {
  readonly component: ComponentName;
  readonly authority: 'cluster' | 'frontProxy';
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly usages: 'client' | 'server';
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}

/** The API server's subject alternative names. */
export interface ServerNames {
  readonly serviceCIDR: string;
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  /** Whether the API server uses a token webhook; false by default. */
  readonly usesTokenWebhook?: boolean;
}

/** Host of kube-apiserver's token webhook. It is never resolved by DNS: the egress proxy of each cluster connects to it. */
export const TOKEN_WEBHOOK_HOST = 'token-review.fairway.internal';
/**
 * The name with which kube-apiserver authenticates to the webhook. The tenant can have certificates for any name
 * signed, but not by the front proxy's authority.
 */
export const TOKEN_WEBHOOK_CLIENT = 'fairway:token-webhook-client';

const MASTERS_GROUP = 'system:masters';

/** All certificates of a control plane. Names and groups match kubeadm and the default RBAC roles. */
export function certificateRequirements(names: ServerNames): CertificateRequirement[] {
  const serviceAddress = addressAt(parseCidr(names.serviceCIDR), 1);
  return [
    {
      component: 'apiserver',
      authority: 'cluster',
      commonName: 'kube-apiserver',
      organizations: [],
      usages: 'server',
      dnsNames: [
        'kubernetes',
        'kubernetes.default',
        'kubernetes.default.svc',
        'kubernetes.default.svc.cluster.local',
        'localhost',
        ...names.dnsNames,
      ],
      ipAddresses: [serviceAddress, '127.0.0.1', ...names.ipAddresses],
    },
    client('apiserver-kubelet-client', 'kube-apiserver-kubelet-client', [MASTERS_GROUP]),
    client('controller-manager', 'system:kube-controller-manager', []),
    client('scheduler', 'system:kube-scheduler', []),
    client('fairway', FAIRWAY_USER, [MASTERS_GROUP]),
    { ...client('front-proxy-client', 'front-proxy-client', []), authority: 'frontProxy' },
    ...(names.usesTokenWebhook ? TOKEN_WEBHOOK_CERTIFICATES : []),
  ];
}

const TOKEN_WEBHOOK_CERTIFICATES: readonly CertificateRequirement[] = [
  {
    component: 'token-webhook',
    authority: 'frontProxy',
    commonName: TOKEN_WEBHOOK_HOST,
    organizations: [],
    usages: 'server',
    dnsNames: [TOKEN_WEBHOOK_HOST],
    ipAddresses: [],
  },
  { ...client('token-webhook-client', TOKEN_WEBHOOK_CLIENT, []), authority: 'frontProxy' },
];

function client(component: ComponentName, commonName: string, organizations: string[]): CertificateRequirement {
  return {
    component,
    authority: 'cluster',
    commonName,
    organizations,
    usages: 'client',
    dnsNames: [],
    ipAddresses: [],
  };
}

/**
 * Nodes verify these certificates with the CAs that they were installed with, so these certificates change signers
 * last.
 */
const NODE_FACING_COMPONENTS: ReadonlySet<ComponentName> = new Set(['apiserver', 'apiserver-kubelet-client']);

/** The authority that signs a component's certificate at this stage of a rotation. */
export function signerOf(
  pki: ClusterPki,
  { component, authority }: Pick<CertificateRequirement, 'component' | 'authority'>,
): CertificateAuthority {
  if (authority === 'frontProxy' || NODE_FACING_COMPONENTS.has(component)) return pki[authority].active;
  return clientAuthority(pki);
}

/** Issues the required certificate, with a new key. */
export async function issueComponentCertificate(
  pki: ClusterPki,
  requirement: CertificateRequirement,
  clock: Clock,
): Promise<{ certificatePem: string; privateKeyPem: string }> {
  const { commonName, organizations, usages, dnsNames, ipAddresses } = requirement;
  const issued: IssuedCertificate = await issueCertificate(signerOf(pki, requirement), {
    commonName,
    organizations,
    usages,
    dnsNames: [...new Set(dnsNames)],
    ipAddresses: [...new Set(ipAddresses)],
    validityMs: COMPONENT_VALIDITY_MS,
    clock,
  });
  const { certificatePem, privateKeyPem } = issued;
  if (privateKeyPem === undefined) throw new Error('a certificate was issued without its private key');
  return { certificatePem, privateKeyPem };
}
