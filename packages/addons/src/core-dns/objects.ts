import type {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  Deployment,
  PodDisruptionBudget,
  Service,
  ServiceAccount,
} from '@fairway/kube/kinds/generated/types';
import {
  ClusterRoleBindings,
  ClusterRoles,
  ConfigMaps,
  Deployments,
  PodDisruptionBudgets,
  ServiceAccounts,
  Services,
} from '@fairway/kube/kinds/resources';
import { ADDON_NAMESPACE, type Addon, type AddonFacts } from '../addon.ts';
import { coreDnsVersion } from '../versions.ts';
import { corefile } from './corefile.ts';
import { podTemplate } from './pod-template.ts';

const NAME = 'coredns';
const ROLE_NAME = 'system:coredns';
/** The cluster DNS Service has had this name since the days of kube-dns. */
const SERVICE_NAME = 'kube-dns';
const LABELS = { 'k8s-app': SERVICE_NAME };
const REPLICAS = 2;

const SERVICE = { type: Services, name: SERVICE_NAME };
const ACCOUNT = { type: ServiceAccounts, name: NAME };
const CLUSTER_ROLE = { type: ClusterRoles, name: ROLE_NAME };
const CLUSTER_ROLE_BINDING = { type: ClusterRoleBindings, name: ROLE_NAME };
const CONFIG_MAP = { type: ConfigMaps, name: NAME };
const DISRUPTION_BUDGET = { type: PodDisruptionBudgets, name: NAME };
const WORKLOAD = { type: Deployments, name: NAME };

/** All objects that the add-on has contained in any release. */
export const CORE_DNS_OBJECTS = [
  SERVICE,
  ACCOUNT,
  CLUSTER_ROLE,
  CLUSTER_ROLE_BINDING,
  CONFIG_MAP,
  DISRUPTION_BUDGET,
  WORKLOAD,
];

/**
 * CoreDNS, which resolves the names of Services. Its Service comes first: if its address is taken, nothing is
 * installed.
 */
export function coreDns(facts: AddonFacts): Addon {
  const version = facts.coreDnsVersion ?? coreDnsVersion(facts.version);
  return {
    name: 'coredns',
    version,
    objects: [
      { ...SERVICE, object: service(facts.dnsAddress) },
      { ...ACCOUNT, object: serviceAccount() },
      { ...CLUSTER_ROLE, object: role() },
      { ...CLUSTER_ROLE_BINDING, object: binding() },
      { ...CONFIG_MAP, object: configMap(facts.dnsDomain) },
      // In a single-node cluster, the budget would block every drain: the second pod has nowhere to run.
      ...(facts.hasSeveralNodes ? [{ ...DISRUPTION_BUDGET, object: budget() }] : []),
      { ...WORKLOAD, object: deployment(version) },
    ],
    workload: WORKLOAD,
    podSelector: `k8s-app=${SERVICE_NAME}`,
    claims: [WORKLOAD, SERVICE, CONFIG_MAP],
  };
}

function service(clusterIP: string): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: SERVICE_NAME,
      namespace: ADDON_NAMESPACE,
      labels: { ...LABELS, 'kubernetes.io/cluster-service': 'true', 'kubernetes.io/name': 'CoreDNS' },
      annotations: { 'prometheus.io/port': '9153', 'prometheus.io/scrape': 'true' },
    },
    spec: {
      clusterIP,
      ports: [
        { name: 'dns', port: 53, protocol: 'UDP', targetPort: 53 },
        { name: 'dns-tcp', port: 53, protocol: 'TCP', targetPort: 53 },
        { name: 'metrics', port: 9153, protocol: 'TCP', targetPort: 9153 },
      ],
      selector: LABELS,
    },
  };
}

function serviceAccount(): ServiceAccount {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: NAME, namespace: ADDON_NAMESPACE } };
}

function role(): ClusterRole {
  const verbs = ['list', 'watch'];
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: ROLE_NAME },
    rules: [
      { apiGroups: [''], resources: ['endpoints', 'services', 'pods', 'namespaces'], verbs },
      { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs },
    ],
  };
}

function binding(): ClusterRoleBinding {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: ROLE_NAME },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: ROLE_NAME },
    subjects: [{ kind: 'ServiceAccount', name: NAME, namespace: ADDON_NAMESPACE }],
  };
}

/** The `reload` plugin picks up changes without replacing the pods. */
function configMap(domain: string): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: NAME, namespace: ADDON_NAMESPACE },
    data: { Corefile: corefile(domain) },
  };
}

function budget(): PodDisruptionBudget {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: NAME, namespace: ADDON_NAMESPACE, labels: LABELS },
    spec: {
      maxUnavailable: 1,
      selector: { matchLabels: LABELS },
      // Unhealthy pods may be evicted.
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
    },
  };
}

function deployment(version: string): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: NAME, namespace: ADDON_NAMESPACE, labels: LABELS },
    spec: {
      replicas: REPLICAS,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
      selector: { matchLabels: LABELS },
      template: podTemplate({ version, labels: LABELS, accountName: NAME, configName: NAME }),
    },
  };
}
