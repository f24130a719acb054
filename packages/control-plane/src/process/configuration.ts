import { KeyObject } from 'node:crypto';
import type { ClusterSpec } from '@fairway/api/kinds/cluster';
import { dump } from 'js-yaml';
import { tenantAuditPolicy } from '../audit/tenant-audit-policy.ts';
import { endpointUrl } from '../kubeconfig.ts';
import type { ComponentCertificates } from '../pki/certificates-secret.ts';
import { type ClusterPki, clientAuthority, clientTrustBundle, trustBundle } from '../pki/cluster-pki.ts';
import type { Endpoint } from '../runtime.ts';
import type { Component } from './components.ts';
import { EGRESS_KINDS } from './egress/egress-policy.ts';
import { egressSocketName } from './egress/egress-proxy.ts';
import { encryptionConfiguration } from './encryption-configuration.ts';
import {
  ACCESS_WEBHOOK,
  ADMISSION_CONFIGURATION,
  AUDIT_POLICY,
  AUTHENTICATION_CONFIGURATION,
  AUTHORIZATION_CONFIGURATION,
  CLIENT_CA,
  CLUSTER_CA,
  certificatePath,
  EGRESS_CONFIGURATION,
  EGRESS_FOLDER,
  ENCRYPTION_CONFIGURATION,
  FRONT_PROXY_CA,
  keyPath,
  kubeconfigPath,
  LIMIT_POLICIES,
  SERVICE_ACCOUNT_KEY,
  SERVICE_ACCOUNT_VERIFICATION_KEYS,
  SIGNING_CERTIFICATE,
  SIGNING_KEY,
  TOKEN_WEBHOOK,
  WORKING_FOLDER,
} from './folder-layout.ts';
import { admissionConfiguration } from './limit-policies/policy-file.ts';
import { ACCESS_WEBHOOK_URL, TOKEN_WEBHOOK_URL } from './token-webhook.ts';

/** A file that programs read. Only its owner can access it. */
export interface ConfigurationFile {
  readonly path: string;
  readonly text: string;
  /** Components that must restart to apply a change. Others reload the file themselves. */
  readonly restarts: readonly Component[];
}

export interface ConfigurationInputs {
  readonly pki: ClusterPki;
  readonly certificates: ComponentCertificates;
  readonly endpoint: Endpoint;
  readonly apiServer: ClusterSpec['apiServer'];
  /** Whether the API server uses Fairway's token webhook. */
  readonly usesTokenWebhook: boolean;
  /** Whether the API server also uses Fairway's access webhook. */
  readonly usesAccessWebhook: boolean;
  /** Text of the policy file; undefined: none. */
  readonly policyFile: string | undefined;
  /** Kubernetes version. */
  readonly version: string;
  /** 32 bytes in base64. */
  readonly encryptionKey: string;
  /** Whether programs run as a user that may not traverse the directories above the cluster's. */
  readonly hasOwnUser: boolean;
}

const API_SERVER: readonly Component[] = ['kube-apiserver'];
const CLIENTS: readonly Component[] = ['kube-controller-manager', 'kube-scheduler'];

/** All files of a control plane. Every component reloads certificates and keys, so renewal causes no restart. */
export function configurationFiles(inputs: ConfigurationInputs): ConfigurationFile[] {
  const { pki, certificates, endpoint, apiServer, usesTokenWebhook, usesAccessWebhook, encryptionKey, hasOwnUser } =
    inputs;
  const folder = hasOwnUser ? WORKING_FOLDER : '..';
  const { signing, verification } = pki.serviceAccountKeys;
  const files: ConfigurationFile[] = [
    { path: CLUSTER_CA, text: trustBundle(pki.cluster), restarts: CLIENTS },
    // kube-apiserver would reload this file itself, but keep serving watches and terminals of users who are no
    // longer admitted.
    { path: CLIENT_CA, text: clientTrustBundle(pki), restarts: API_SERVER },
    { path: SIGNING_CERTIFICATE, text: clientAuthority(pki).certificatePem, restarts: [] },
    { path: SIGNING_KEY, text: clientAuthority(pki).privateKeyPem, restarts: [] },
    { path: FRONT_PROXY_CA, text: trustBundle(pki.frontProxy), restarts: [] },
    {
      path: SERVICE_ACCOUNT_KEY,
      text: signing.privateKeyPem,
      restarts: ['kube-apiserver', 'kube-controller-manager'],
    },
    {
      path: SERVICE_ACCOUNT_VERIFICATION_KEYS,
      text: verification
        .map(({ publicKey }) => KeyObject.from(publicKey).export({ type: 'spki', format: 'pem' }))
        .join(''),
      restarts: API_SERVER,
    },
    {
      path: AUDIT_POLICY,
      text: dump(apiServer.audit ? tenantAuditPolicy(apiServer.audit) : operatorAuditPolicy(), { noRefs: true }),
      restarts: API_SERVER,
    },
    { path: EGRESS_CONFIGURATION, text: dump(egressConfiguration()), restarts: API_SERVER },
    {
      path: ENCRYPTION_CONFIGURATION,
      text: dump(encryptionConfiguration(encryptionKey, inputs.version)),
      restarts: API_SERVER,
    },
  ];
  for (const [name, { certificatePem, privateKeyPem }] of certificates) {
    files.push({ path: certificatePath(name), text: certificatePem, restarts: [] });
    files.push({ path: keyPath(name), text: privateKeyPem, restarts: [] });
  }
  for (const name of ['controller-manager', 'scheduler']) {
    files.push({
      path: kubeconfigPath(name),
      text: dump(kubeconfigOf(name, { server: endpointUrl(endpoint), authorityFile: CLUSTER_CA }, folder)),
      restarts: CLIENTS,
    });
  }
  if (usesTokenWebhook) {
    // The component reloads its own certificate, but not its trusted CAs.
    const target = { server: TOKEN_WEBHOOK_URL, authorityPem: trustBundle(pki.frontProxy) };
    const text = dump(kubeconfigOf('token-webhook-client', target, folder));
    files.push({ path: TOKEN_WEBHOOK, text, restarts: API_SERVER });
  }
  if (usesAccessWebhook) {
    const target = { server: ACCESS_WEBHOOK_URL, authorityPem: trustBundle(pki.frontProxy) };
    const text = dump(kubeconfigOf('token-webhook-client', target, folder));
    files.push({ path: ACCESS_WEBHOOK, text, restarts: API_SERVER });
    const authorization = dump(authorizationConfiguration(inputs.version));
    files.push({ path: AUTHORIZATION_CONFIGURATION, text: authorization, restarts: API_SERVER });
  }
  if (inputs.policyFile !== undefined) {
    files.push({ path: LIMIT_POLICIES, text: inputs.policyFile, restarts: [] });
    files.push({ path: ADMISSION_CONFIGURATION, text: dump(admissionConfiguration()), restarts: API_SERVER });
  }
  const { oidc } = apiServer;
  if (oidc) {
    // kube-apiserver would reload the file itself and, if it is invalid, keep the previous configuration without reporting it.
    files.push({
      path: AUTHENTICATION_CONFIGURATION,
      text: dump(authenticationConfiguration(oidc)),
      restarts: API_SERVER,
    });
  }
  return files;
}

/** First version whose AuthorizationConfiguration is v1; v1beta1 is enabled since 1.30. */
const FIRST_MINOR_WITH_V1 = 32;

/** Uses Fairway's webhook last, and only for Keystone users; if it does not respond, it has no opinion. */
export function authorizationConfiguration(version: string): object {
  const api = Number(version.split('.')[1]) >= FIRST_MINOR_WITH_V1 ? 'v1' : 'v1beta1';
  return {
    apiVersion: `apiserver.config.k8s.io/${api}`,
    kind: 'AuthorizationConfiguration',
    authorizers: [
      { type: 'Node', name: 'node' },
      { type: 'RBAC', name: 'rbac' },
      {
        type: 'Webhook',
        name: 'keystone',
        webhook: {
          authorizedTTL: '30s',
          unauthorizedTTL: '10s',
          timeout: '3s',
          subjectAccessReviewVersion: 'v1',
          matchConditionSubjectAccessReviewVersion: 'v1',
          failurePolicy: 'NoOpinion',
          // Relative paths are not allowed here.
          connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: `${WORKING_FOLDER}/${ACCESS_WEBHOOK}` },
          matchConditions: [{ expression: "request.user.startsWith('keystone:')" }],
        },
      },
    ],
  };
}

type Oidc = NonNullable<ClusterSpec['apiServer']['oidc']>;

/**
 * The equivalent of the `--oidc-*` flags, with two additions: several group claims, and an issuer that is reached
 * through Fairway's proxy. Uses v1beta1, which 1.34 and later support. The issuer's keys determine the allowed signing
 * algorithms.
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

/** kube-apiserver's default without `--oidc-username-prefix`. */
function usernamePrefixOf({ usernamePrefix, usernameClaim, issuerURL }: Oidc): string {
  if (usernamePrefix === '-') return '';
  return usernamePrefix ?? (usernameClaim === 'email' ? '' : `${issuerURL}#`);
}

/** All connections except those to the cluster's etcd use the proxy. */
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

/**
 * Only for the operator, for clusters that do not request audit events. OVHcloud's policy: logs writes in full, but
 * never the contents of Secrets and tokens, and omits health checks.
 */
function operatorAuditPolicy(): object {
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
      // Every node renews its Lease every few seconds; these requests contain no useful information.
      { level: 'Metadata', resources: [{ group: 'coordination.k8s.io', resources: ['leases'] }] },
      { level: 'RequestResponse', verbs: ['create', 'patch', 'update', 'delete', 'deletecollection'] },
      { level: 'Request', verbs: ['get', 'list', 'watch'] },
      { level: 'Metadata' },
    ],
  };
}

/**
 * Credentials by path, which clients reload when they change. `folder` is the cluster's directory relative to the file:
 * clients make paths absolute, but those that may not traverse its parent directories can reach it only as their
 * working directory.
 */
function kubeconfigOf(
  name: string,
  { server, authorityFile, authorityPem }: { server: string; authorityFile?: string; authorityPem?: string },
  folder: string,
): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'cluster',
        cluster: {
          server,
          ...(authorityFile !== undefined && { 'certificate-authority': `${folder}/${authorityFile}` }),
          ...(authorityPem !== undefined && {
            'certificate-authority-data': Buffer.from(authorityPem).toString('base64'),
          }),
        },
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
