import { SERVICE_ACCOUNT_ISSUER } from '@fairway/api/domain/oidc-problems';
import {
  TENANT_AUDIT_LOG,
  TENANT_AUDIT_MAX_BACKUPS,
  TENANT_AUDIT_MAX_EVENT_SIZE,
  TENANT_AUDIT_MAX_SIZE_MB,
} from '../audit/tenant-audit-log.ts';
import type { ControlPlaneSpec, Endpoint } from '../runtime.ts';
import type { Component } from './components.ts';
import {
  ADMISSION_CONFIGURATION,
  AUDIT_LOG,
  AUDIT_POLICY,
  AUTHENTICATION_CONFIGURATION,
  AUTHORIZATION_CONFIGURATION,
  CLIENT_CA,
  CLUSTER_CA,
  certificatePath,
  EGRESS_CONFIGURATION,
  ENCRYPTION_CONFIGURATION,
  ETCD_PEER_SOCKET,
  ETCD_SOCKET,
  FRONT_PROXY_CA,
  keyPath,
  kubeconfigPath,
  SERVICE_ACCOUNT_KEY,
  SERVICE_ACCOUNT_VERIFICATION_KEYS,
  SIGNING_CERTIFICATE,
  SIGNING_KEY,
  TOKEN_WEBHOOK,
  WORKING_FOLDER,
} from './folder-layout.ts';
import { MANIFESTS_FEATURE } from './limit-policies/policy-file.ts';

export type FlagInputs = Pick<
  ControlPlaneSpec,
  'cluster' | 'podCIDR' | 'serviceCIDR' | 'apiServer' | 'reviewToken' | 'reviewAccess' | 'etcdQuotaBytes'
> & {
  readonly endpoint: Endpoint;
  /** etcd's data directory. */
  readonly dataFolder: string;
  /** Whether programs run as a user that may not traverse the directories above the cluster's. */
  readonly hasOwnUser: boolean;
  /** Whether the API server reads policies from files. */
  readonly usesPolicyFiles: boolean;
};

/** The command line of a component, for releases from 1.31 on. Pure. */
export function componentFlags(component: Component, inputs: FlagInputs): string[] {
  switch (component) {
    case 'etcd':
      return etcdFlags(inputs);
    case 'kube-apiserver':
      return apiServerFlags(inputs);
    case 'kube-controller-manager':
      return controllerManagerFlags(inputs);
    case 'kube-scheduler':
      return schedulerFlags();
  }
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}

/**
 * A single member, on sockets in a directory that only its owner can access, so there is no port to protect and no
 * certificate to renew.
 */
function etcdFlags({ etcdQuotaBytes, dataFolder, hasOwnUser }: FlagInputs): string[] {
  return [
    '--name=etcd',
    // etcd makes the path absolute; only in this form can its own user resolve it.
    `--data-dir=${hasOwnUser ? `${WORKING_FOLDER}/${dataFolder}` : dataFolder}`,
    `--listen-client-urls=unix://${ETCD_SOCKET}`,
    `--advertise-client-urls=unix://${ETCD_SOCKET}`,
    `--listen-peer-urls=unix://${ETCD_PEER_SOCKET}`,
    `--initial-advertise-peer-urls=unix://${ETCD_PEER_SOCKET}`,
    `--initial-cluster=etcd=unix://${ETCD_PEER_SOCKET}`,
    `--quota-backend-bytes=${etcdQuotaBytes}`,
    '--log-level=warn',
  ];
}

/** Without NodeRestriction, one node's certificate can modify every Node. Admission plugins that are on by default can't be configured. */
const ALWAYS_ENABLED_PLUGINS: ReadonlySet<string> = new Set(['NodeRestriction']);

/**
 * Responses are cached for about as long as it takes to detect a revocation. kube-apiserver caches them for another
 * 10 s, for which there is no flag.
 */
const TOKEN_WEBHOOK_FLAGS = [
  `--authentication-token-webhook-config-file=${TOKEN_WEBHOOK}`,
  '--authentication-token-webhook-version=v1',
  '--authentication-token-webhook-cache-ttl=10s',
];

/**
 * Uses two separate files, so that tenants do not see events that were logged for the operator before the tenants
 * requested audit events.
 */
const OPERATOR_AUDIT_FLAGS = [
  `--audit-log-path=${AUDIT_LOG}`,
  '--audit-log-maxsize=50',
  '--audit-log-maxbackup=2',
  '--audit-log-maxage=30',
];
const TENANT_AUDIT_FLAGS = [
  `--audit-log-path=${TENANT_AUDIT_LOG}`,
  `--audit-log-maxsize=${TENANT_AUDIT_MAX_SIZE_MB}`,
  `--audit-log-maxbackup=${TENANT_AUDIT_MAX_BACKUPS}`,
  // Removes the bodies of an event that would not fit into a file, and keeps the event. Events that exceed the limit
  // even without bodies would be dropped.
  '--audit-log-truncate-enabled=true',
  `--audit-log-truncate-max-event-size=${TENANT_AUDIT_MAX_EVENT_SIZE}`,
];

/** kube-apiserver reloads the policies themselves. */
const POLICY_FILE_FLAGS = [
  `--feature-gates=${MANIFESTS_FEATURE}=true`,
  `--admission-control-config-file=${ADMISSION_CONFIGURATION}`,
];

function apiServerFlags(inputs: FlagInputs): string[] {
  const { endpoint, serviceCIDR, apiServer, reviewToken, reviewAccess, usesPolicyFiles } = inputs;
  // Stored Clusters may predate the validation that rejects these.
  const disabled = (apiServer.admissionPlugins.disabled as readonly string[]).filter(
    (name) => !ALWAYS_ENABLED_PLUGINS.has(name),
  );
  const chosen = apiServer.admissionPlugins.enabled.filter((plugin) => !disabled.includes(plugin));
  const admission = new Set([...chosen, ...ALWAYS_ENABLED_PLUGINS]);
  return [
    `--bind-address=${endpoint.host}`,
    `--advertise-address=${endpoint.host}`,
    `--secure-port=${endpoint.port}`,
    // Endpoints must not contain a loopback address.
    ...(isLoopback(endpoint.host) ? ['--endpoint-reconciler-type=none'] : []),
    `--etcd-servers=unix://${ETCD_SOCKET}`,
    `--service-cluster-ip-range=${serviceCIDR}`,
    reviewAccess === undefined
      ? '--authorization-mode=Node,RBAC'
      : `--authorization-config=${AUTHORIZATION_CONFIGURATION}`,
    '--enable-bootstrap-token-auth=true',
    '--allow-privileged=true',
    '--profiling=false',
    `--enable-admission-plugins=${[...admission].sort().join(',')}`,
    ...(disabled.length > 0 ? [`--disable-admission-plugins=${disabled.join(',')}`] : []),
    `--client-ca-file=${CLIENT_CA}`,
    `--tls-cert-file=${certificatePath('apiserver')}`,
    `--tls-private-key-file=${keyPath('apiserver')}`,
    `--kubelet-certificate-authority=${CLUSTER_CA}`,
    `--kubelet-client-certificate=${certificatePath('apiserver-kubelet-client')}`,
    `--kubelet-client-key=${keyPath('apiserver-kubelet-client')}`,
    '--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname',
    `--requestheader-client-ca-file=${FRONT_PROXY_CA}`,
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--proxy-client-cert-file=${certificatePath('front-proxy-client')}`,
    `--proxy-client-key-file=${keyPath('front-proxy-client')}`,
    // Reaches Services of aggregated APIs through their endpoints: this machine does not route Service addresses.
    '--enable-aggregator-routing=true',
    `--service-account-issuer=${SERVICE_ACCOUNT_ISSUER}`,
    `--service-account-key-file=${SERVICE_ACCOUNT_VERIFICATION_KEYS}`,
    `--service-account-signing-key-file=${SERVICE_ACCOUNT_KEY}`,
    `--encryption-provider-config=${ENCRYPTION_CONFIGURATION}`,
    // Connections on behalf of its tenant go through Fairway's egress proxy.
    `--egress-selector-config-file=${EGRESS_CONFIGURATION}`,
    `--audit-policy-file=${AUDIT_POLICY}`,
    ...(apiServer.audit === undefined ? OPERATOR_AUDIT_FLAGS : TENANT_AUDIT_FLAGS),
    // Half of kube-apiserver's defaults, because several API servers share a machine.
    '--max-requests-inflight=200',
    '--max-mutating-requests-inflight=100',
    // Ends watches at shutdown; otherwise kube-apiserver would wait a minute for them before it exits.
    '--shutdown-watch-termination-grace-period=2s',
    ...(apiServer.oidc === undefined ? [] : [`--authentication-config=${AUTHENTICATION_CONFIGURATION}`]),
    ...(reviewToken === undefined ? [] : TOKEN_WEBHOOK_FLAGS),
    ...(usesPolicyFiles ? POLICY_FILE_FLAGS : []),
  ];
}

/** A single instance needs no leader election, and serves no requests. */
function controllerManagerFlags({ cluster, podCIDR, serviceCIDR }: FlagInputs): string[] {
  const kubeconfig = kubeconfigPath('controller-manager');
  return [
    `--kubeconfig=${kubeconfig}`,
    '--secure-port=0',
    '--leader-elect=false',
    '--profiling=false',
    `--cluster-name=${cluster.name}`,
    '--controllers=*,bootstrapsigner,tokencleaner',
    '--use-service-account-credentials=true',
    '--allocate-node-cidrs=true',
    `--cluster-cidr=${podCIDR}`,
    '--node-cidr-mask-size=24',
    `--service-cluster-ip-range=${serviceCIDR}`,
    `--cluster-signing-cert-file=${SIGNING_CERTIFICATE}`,
    `--cluster-signing-key-file=${SIGNING_KEY}`,
    `--root-ca-file=${CLUSTER_CA}`,
    `--service-account-private-key-file=${SERVICE_ACCOUNT_KEY}`,
  ];
}

function schedulerFlags(): string[] {
  return [
    `--kubeconfig=${kubeconfigPath('scheduler')}`,
    '--secure-port=0',
    '--leader-elect=false',
    '--profiling=false',
  ];
}
