import { KeyObject } from 'node:crypto';
import type { ClusterSpec } from '@fairway/api/kinds/cluster';
import { dump } from 'js-yaml';
import { endpointUrl } from '../kubeconfig.ts';
import type { ComponentCertificates } from '../pki/certificates-secret.ts';
import { type ClusterPki, trustBundle } from '../pki/cluster-pki.ts';
import type { Endpoint } from '../runtime.ts';
import type { Component } from './components.ts';
import {
  AUDIT_POLICY,
  AUTHENTICATION,
  CLUSTER_CA,
  certificatePath,
  ENCRYPTION,
  FRONT_PROXY_CA,
  keyPath,
  kubeconfigPath,
  OIDC_AUTHORITY,
  SERVICE_ACCOUNT_KEY,
  SERVICE_ACCOUNT_VERIFICATION,
  SIGNING_CERTIFICATE,
  SIGNING_KEY,
} from './folder-layout.ts';

/** A file that programs read; all are for their owner alone. */
export interface ConfigurationFile {
  readonly path: string;
  readonly text: string;
  /** Who must start again to see a change. Whoever reads the file and is not named looks at it again by itself. */
  readonly restarts: readonly Component[];
}

export interface ConfigurationInputs {
  readonly pki: ClusterPki;
  readonly certificates: ComponentCertificates;
  readonly endpoint: Endpoint;
  readonly apiServer: ClusterSpec['apiServer'];
  /** 32 bytes in base64. */
  readonly encryptionKey: string;
}

const API_SERVER: readonly Component[] = ['kube-apiserver'];
const CLIENTS: readonly Component[] = ['kube-controller-manager', 'kube-scheduler'];

/** All files of a control plane. Certificates and keys are read again by all who use them, so that renewal interrupts nothing. */
export function configurationFiles(inputs: ConfigurationInputs): ConfigurationFile[] {
  const { pki, certificates, endpoint, apiServer, encryptionKey } = inputs;
  const { signing, verification } = pki.serviceAccountKeys;
  const files: ConfigurationFile[] = [
    { path: CLUSTER_CA, text: trustBundle(pki.cluster), restarts: CLIENTS },
    { path: SIGNING_CERTIFICATE, text: pki.cluster.active.certificatePem, restarts: [] },
    { path: SIGNING_KEY, text: pki.cluster.active.privateKeyPem, restarts: [] },
    { path: FRONT_PROXY_CA, text: trustBundle(pki.frontProxy), restarts: [] },
    {
      path: SERVICE_ACCOUNT_KEY,
      text: signing.privateKeyPem,
      restarts: ['kube-apiserver', 'kube-controller-manager'],
    },
    {
      path: SERVICE_ACCOUNT_VERIFICATION,
      text: verification
        .map(({ publicKey }) => KeyObject.from(publicKey).export({ type: 'spki', format: 'pem' }))
        .join(''),
      restarts: API_SERVER,
    },
    { path: AUDIT_POLICY, text: dump(auditPolicy()), restarts: API_SERVER },
    { path: ENCRYPTION, text: dump(encryptionConfiguration(encryptionKey)), restarts: API_SERVER },
  ];
  for (const [name, { certificatePem, privateKeyPem }] of certificates) {
    files.push({ path: certificatePath(name), text: certificatePem, restarts: [] });
    files.push({ path: keyPath(name), text: privateKeyPem, restarts: [] });
  }
  for (const name of ['controller-manager', 'scheduler']) {
    files.push({ path: kubeconfigPath(name), text: dump(kubeconfigOf(name, endpoint)), restarts: CLIENTS });
  }
  const { oidc } = apiServer;
  if (oidc?.certificateAuthority) {
    files.push({ path: OIDC_AUTHORITY, text: oidc.certificateAuthority, restarts: API_SERVER });
  }
  if (oidc && needsAuthenticationFile(oidc)) {
    files.push({ path: AUTHENTICATION, text: dump(authenticationConfiguration(oidc)), restarts: [] });
  }
  return files;
}

type Oidc = NonNullable<ClusterSpec['apiServer']['oidc']>;

/** Flags know one claim with groups. */
export function needsAuthenticationFile(oidc: Oidc): boolean {
  return (oidc.groupsClaims?.length ?? 0) > 1;
}

/** What the flags `--oidc-*` would say, with several claims that hold groups. In v1beta1, which 1.30 to 1.36 and later read. */
export function authenticationConfiguration(oidc: Oidc): object {
  const { issuerURL, clientID, usernameClaim, groupsClaims = [], groupsPrefix = '', requiredClaims = {} } = oidc;
  const groups = groupsClaims.map((claim) => {
    const value = `dyn(claims[${JSON.stringify(claim)}])`;
    return `(${JSON.stringify(claim)} in claims ? (type(${value}) == list ? ${value}.map(group, ${prefixed(groupsPrefix, 'string(group)')}) : [${prefixed(groupsPrefix, `string(${value})`)}]) : [])`;
  });
  return {
    apiVersion: 'apiserver.config.k8s.io/v1beta1',
    kind: 'AuthenticationConfiguration',
    jwt: [
      {
        issuer: {
          url: issuerURL,
          audiences: [clientID],
          ...(oidc.certificateAuthority && { certificateAuthority: oidc.certificateAuthority }),
        },
        claimMappings: {
          username: { claim: usernameClaim, prefix: usernamePrefixOf(oidc) },
          groups: { expression: groups.join(' + ') },
        },
        claimValidationRules: Object.entries(requiredClaims).map(([claim, requiredValue]) => ({
          claim,
          requiredValue,
        })),
      },
    ],
  };
}

function prefixed(prefix: string, expression: string): string {
  return prefix === '' ? expression : `${JSON.stringify(prefix)} + ${expression}`;
}

/** What kube-apiserver does without `--oidc-username-prefix`. */
function usernamePrefixOf({ usernamePrefix, usernameClaim, issuerURL }: Oidc): string {
  if (usernamePrefix === '-') return '';
  return usernamePrefix ?? (usernameClaim === 'email' ? '' : `${issuerURL}#`);
}

/** Secrets are encrypted with the cluster's own key; what was written before there was one is still read. */
function encryptionConfiguration(encryptionKey: string): object {
  return {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [
      {
        resources: ['secrets'],
        providers: [{ secretbox: { keys: [{ name: 'key1', secret: encryptionKey }] } }, { identity: {} }],
      },
    ],
  };
}

/** OVHcloud's policy: who changed what in full, contents of Secrets and tokens never, nothing about health checks. */
function auditPolicy(): object {
  return {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived'],
    rules: [
      {
        level: 'None',
        users: ['system:kube-proxy'],
        verbs: ['get', 'list', 'watch'],
      },
      { level: 'None', nonResourceURLs: ['/healthz*', '/livez*', '/readyz*', '/metrics', '/version'] },
      {
        level: 'Metadata',
        resources: [
          { group: '', resources: ['secrets', 'configmaps', 'serviceaccounts/token'] },
          { group: 'authentication.k8s.io', resources: ['tokenreviews'] },
        ],
      },
      // Leases are renewed every few seconds by every node, and say nothing.
      { level: 'Metadata', resources: [{ group: 'coordination.k8s.io', resources: ['leases'] }] },
      { level: 'RequestResponse', verbs: ['create', 'patch', 'update', 'delete', 'deletecollection'] },
      { level: 'Request', verbs: ['get', 'list', 'watch'] },
      { level: 'Metadata' },
    ],
  };
}

/** Credentials by path, which clients read again when they change. Paths are relative to the file. */
function kubeconfigOf(name: string, endpoint: Endpoint): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'cluster', cluster: { server: endpointUrl(endpoint), 'certificate-authority': `../${CLUSTER_CA}` } },
    ],
    users: [
      {
        name,
        user: { 'client-certificate': `../${certificatePath(name)}`, 'client-key': `../${keyPath(name)}` },
      },
    ],
    contexts: [{ name: 'cluster', context: { cluster: 'cluster', user: name } }],
    'current-context': 'cluster',
  };
}
