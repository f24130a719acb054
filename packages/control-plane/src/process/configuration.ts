import { KeyObject } from 'node:crypto';
import type { ClusterSpec } from '@fairway/api/kinds/cluster';
import { dump } from 'js-yaml';
import { endpointUrl } from '../kubeconfig.ts';
import type { ComponentCertificates } from '../pki/certificates-secret.ts';
import { type ClusterPki, trustBundle } from '../pki/cluster-pki.ts';
import type { Endpoint } from '../runtime.ts';
import type { Component } from './components.ts';
import { EGRESS_KINDS } from './egress/egress-policy.ts';
import { egressSocketName } from './egress/egress-proxy.ts';
import {
  AUDIT_POLICY,
  AUTHENTICATION,
  CLUSTER_CA,
  certificatePath,
  EGRESS_CONFIGURATION,
  EGRESS_FOLDER,
  ENCRYPTION,
  FRONT_PROXY_CA,
  keyPath,
  kubeconfigPath,
  SERVICE_ACCOUNT_KEY,
  SERVICE_ACCOUNT_VERIFICATION,
  SIGNING_CERTIFICATE,
  SIGNING_KEY,
  WORKING_FOLDER,
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
  /** Whether programs run as somebody who may not be allowed into the folders above the cluster's. */
  readonly hasOwnUser: boolean;
}

const API_SERVER: readonly Component[] = ['kube-apiserver'];
const CLIENTS: readonly Component[] = ['kube-controller-manager', 'kube-scheduler'];

/** All files of a control plane. Certificates and keys are read again by all who use them, so that renewal interrupts nothing. */
export function configurationFiles(inputs: ConfigurationInputs): ConfigurationFile[] {
  const { pki, certificates, endpoint, apiServer, encryptionKey, hasOwnUser } = inputs;
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
    { path: EGRESS_CONFIGURATION, text: dump(egressConfiguration()), restarts: API_SERVER },
    { path: ENCRYPTION, text: dump(encryptionConfiguration(encryptionKey)), restarts: API_SERVER },
  ];
  for (const [name, { certificatePem, privateKeyPem }] of certificates) {
    files.push({ path: certificatePath(name), text: certificatePem, restarts: [] });
    files.push({ path: keyPath(name), text: privateKeyPem, restarts: [] });
  }
  for (const name of ['controller-manager', 'scheduler']) {
    files.push({
      path: kubeconfigPath(name),
      text: dump(kubeconfigOf(name, endpoint, hasOwnUser ? WORKING_FOLDER : '..')),
      restarts: CLIENTS,
    });
  }
  const { oidc } = apiServer;
  if (oidc) {
    // It would read the file again by itself, and keep what it has where that is wrong: nobody would be told.
    files.push({ path: AUTHENTICATION, text: dump(authenticationConfiguration(oidc)), restarts: API_SERVER });
  }
  return files;
}

type Oidc = NonNullable<ClusterSpec['apiServer']['oidc']>;

/**
 * What the flags `--oidc-*` would say, and two things that they can't: several claims that hold groups, and that the issuer is asked
 * by way of Fairway. In v1beta1, which 1.34 to 1.36 and later read. Which algorithms sign is for the issuer's keys to say.
 */
export function authenticationConfiguration(oidc: Oidc): object {
  const { issuerURL, clientID, usernameClaim, requiredClaims = {} } = oidc;
  const groups = groupsMapping(oidc);
  return {
    apiVersion: 'apiserver.config.k8s.io/v1beta1',
    kind: 'AuthenticationConfiguration',
    jwt: [
      {
        issuer: {
          url: issuerURL,
          audiences: [clientID],
          egressSelectorType: 'controlplane',
          ...(oidc.certificateAuthority && { certificateAuthority: oidc.certificateAuthority }),
        },
        claimMappings: {
          username: { claim: usernameClaim, prefix: usernamePrefixOf(oidc) },
          ...(groups && { groups }),
        },
        claimValidationRules: Object.entries(requiredClaims).map(([claim, requiredValue]) => ({
          claim,
          requiredValue,
        })),
      },
    ],
  };
}

function groupsMapping({ groupsClaims = [], groupsPrefix = '' }: Oidc): object | undefined {
  const [claim, ...others] = groupsClaims;
  if (claim === undefined) return undefined;
  if (others.length === 0) return { claim, prefix: groupsPrefix };
  const expressions = groupsClaims.map((name) => {
    const value = `dyn(claims[${JSON.stringify(name)}])`;
    return `(${JSON.stringify(name)} in claims ? (type(${value}) == list ? ${value}.map(group, ${prefixed(groupsPrefix, 'string(group)')}) : [${prefixed(groupsPrefix, `string(${value})`)}]) : [])`;
  });
  return { expression: expressions.join(' + ') };
}

function prefixed(prefix: string, expression: string): string {
  return prefix === '' ? expression : `${JSON.stringify(prefix)} + ${expression}`;
}

/** What kube-apiserver does without `--oidc-username-prefix`. */
function usernamePrefixOf({ usernamePrefix, usernameClaim, issuerURL }: Oidc): string {
  if (usernamePrefix === '-') return '';
  return usernamePrefix ?? (usernameClaim === 'email' ? '' : `${issuerURL}#`);
}

/** All but the way to its etcd leads through the proxy. */
export function egressConfiguration(): object {
  return {
    apiVersion: 'apiserver.k8s.io/v1beta1',
    kind: 'EgressSelectorConfiguration',
    egressSelections: EGRESS_KINDS.map((name) => ({
      name,
      connection: {
        proxyProtocol: 'HTTPConnect',
        transport: { uds: { udsName: `${EGRESS_FOLDER}/${egressSocketName(name)}` } },
      },
    })),
  };
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

/**
 * Credentials by path, which clients read again when they change. `folder` is the cluster's own, as seen from the file: clients
 * make paths absolute, and those who are not allowed into the folders above find it as the one that they work in.
 */
function kubeconfigOf(name: string, endpoint: Endpoint, folder: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'cluster',
        cluster: { server: endpointUrl(endpoint), 'certificate-authority': `${folder}/${CLUSTER_CA}` },
      },
    ],
    users: [
      {
        name,
        user: {
          'client-certificate': `${folder}/${certificatePath(name)}`,
          'client-key': `${folder}/${keyPath(name)}`,
        },
      },
    ],
    contexts: [{ name: 'cluster', context: { cluster: 'cluster', user: name } }],
    'current-context': 'cluster',
  };
}
