import type { ConfigMap } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps, DaemonSets, Deployments } from '@fairway/kube/kinds/resources';
import { ADDON_NAMESPACE, type Addon, type AddonFacts, type ObjectIdentity } from '../addon.ts';
import { revisionOf } from '../revision.ts';
import { ciliumVersion } from '../versions.ts';
import { daemonSet } from './daemon-set.ts';
import { OPERATOR_NAME, operator } from './operator.ts';
import { ciliumRoles } from './roles.ts';
import { type SettingFacts, settings } from './settings.ts';

const NAME = 'cilium';
/** The object that Cilium's own tools look for. */
const CONFIG_NAME = 'cilium-config';

const ROLES = ciliumRoles(CONFIG_NAME);
const CONFIG_MAP = { type: ConfigMaps, name: CONFIG_NAME };
const OPERATOR = { type: Deployments, name: OPERATOR_NAME };
export const CILIUM_WORKLOAD = { type: DaemonSets, name: NAME } satisfies ObjectIdentity;

/**
 * Cilium, the pod network: VXLAN between nodes, policies enforced in the nodes' kernels. Cilium's operator creates the
 * definitions of its kinds.
 */
export function cilium(facts: AddonFacts): Addon {
  const version = ciliumVersion(facts.version, facts.ciliumVersion);
  const config = configMap({ version, replacesKubeProxy: facts.kubeProxy.mode === 'none' });
  const revision = revisionOf(config.data);
  const ciliumFacts = { version, server: facts.server, configName: CONFIG_NAME };
  return {
    name: 'cilium',
    version,
    objects: [
      ...ROLES,
      { ...CONFIG_MAP, object: config },
      { ...OPERATOR, object: operator(ciliumFacts, revision) },
      { ...CILIUM_WORKLOAD, object: daemonSet(ciliumFacts, revision) },
    ],
    workload: CILIUM_WORKLOAD,
    podSelector: `k8s-app=${NAME}`,
    helpers: [{ workload: OPERATOR, podSelector: `name=${OPERATOR_NAME}` }],
    isNetwork: true,
    claims: [CILIUM_WORKLOAD, CONFIG_MAP, OPERATOR],
  };
}

function configMap(facts: SettingFacts): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: CONFIG_NAME, namespace: ADDON_NAMESPACE },
    data: settings(facts),
  };
}
