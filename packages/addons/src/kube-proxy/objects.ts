import type { ClusterRoleBinding, ConfigMap, DaemonSet, ServiceAccount } from '@fairway/kube/kinds/generated/types';
import { ClusterRoleBindings, ConfigMaps, DaemonSets, ServiceAccounts } from '@fairway/kube/kinds/resources';
import { ADDON_NAMESPACE, type Addon, type AddonFacts } from '../addon.ts';
import { nodeAgent } from '../node-agent.ts';
import { REGISTRY } from '../registry.ts';
import { revisionOf } from '../revision.ts';
import { kubeProxyVersion } from '../versions.ts';
import { CONFIG_FOLDER, CONFIG_KEY, KUBECONFIG_KEY, proxyConfiguration, proxyKubeconfig } from './configuration.ts';

const NAME = 'kube-proxy';
const BINDING = 'fairway:kube-proxy';
const LABELS = { 'k8s-app': NAME };

const ACCOUNT = { type: ServiceAccounts, name: NAME };
const CLUSTER_ROLE_BINDING = { type: ClusterRoleBindings, name: BINDING };
const CONFIG_MAP = { type: ConfigMaps, name: NAME };
const WORKLOAD = { type: DaemonSets, name: NAME };

/** All objects that the add-on has contained in any release. */
export const KUBE_PROXY_OBJECTS = [ACCOUNT, CLUSTER_ROLE_BINDING, CONFIG_MAP, WORKLOAD];

/** kube-proxy, which implements Services on every node. */
export function kubeProxy(facts: AddonFacts): Addon {
  const version = kubeProxyVersion(facts.version, facts.oldestNodeVersion);
  const config = configMap(facts);
  return {
    name: 'kube-proxy',
    version,
    objects: [
      { ...ACCOUNT, object: serviceAccount() },
      { ...CLUSTER_ROLE_BINDING, object: binding() },
      { ...CONFIG_MAP, object: config },
      { ...WORKLOAD, object: daemonSet(version, revisionOf(config.data)) },
    ],
    workload: WORKLOAD,
    podSelector: `k8s-app=${NAME}`,
    claims: [WORKLOAD, CONFIG_MAP],
  };
}

function serviceAccount(): ServiceAccount {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: NAME, namespace: ADDON_NAMESPACE } };
}

function binding(): ClusterRoleBinding {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: BINDING },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:node-proxier' },
    subjects: [{ kind: 'ServiceAccount', name: NAME, namespace: ADDON_NAMESPACE }],
  };
}

function configMap(facts: AddonFacts): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: NAME, namespace: ADDON_NAMESPACE, labels: { app: NAME } },
    data: { [CONFIG_KEY]: proxyConfiguration(facts), [KUBECONFIG_KEY]: proxyKubeconfig(facts) },
  };
}

function daemonSet(version: string, configRevision: string): DaemonSet {
  return nodeAgent({
    name: NAME,
    labels: LABELS,
    account: NAME,
    configRevision,
    pod: {
      containers: [
        {
          name: NAME,
          image: `${REGISTRY}/kube-proxy:v${version}`,
          imagePullPolicy: 'IfNotPresent',
          command: [
            '/usr/local/bin/kube-proxy',
            `--config=${CONFIG_FOLDER}/${CONFIG_KEY}`,
            '--hostname-override=$(NODE_NAME)',
          ],
          env: [{ name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
          // It writes the node's rules and connection tracking.
          securityContext: { privileged: true },
          volumeMounts: [
            { name: 'config', mountPath: CONFIG_FOLDER },
            { name: 'xtables-lock', mountPath: '/run/xtables.lock' },
            { name: 'modules', mountPath: '/lib/modules', readOnly: true },
          ],
        },
      ],
      volumes: [
        { name: 'config', configMap: { name: NAME } },
        { name: 'xtables-lock', hostPath: { path: '/run/xtables.lock', type: 'FileOrCreate' } },
        { name: 'modules', hostPath: { path: '/lib/modules' } },
      ],
    },
  });
}
