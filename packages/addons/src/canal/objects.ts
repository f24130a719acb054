import type { ConfigMap } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps, DaemonSets } from '@fairway/kube/kinds/resources';
import { ADDON_NAMESPACE, type Addon, type AddonFacts, type ObjectIdentity } from '../addon.ts';
import { revisionOf } from '../revision.ts';
import { calicoVersion, FLANNEL_VERSION } from '../versions.ts';
import { CNI_KEY, cniConfiguration, FLANNEL_KEY, overlayConfiguration } from './configuration.ts';
import { daemonSet } from './daemon-set.ts';
import { CALICO_DEFINITIONS } from './definitions.ts';
import { CANAL_ROLES } from './roles.ts';

const NAME = 'canal';
const CONFIG_NAME = 'canal-config';

const CONFIG_MAP = { type: ConfigMaps, name: CONFIG_NAME };
export const CANAL_WORKLOAD = { type: DaemonSets, name: NAME } satisfies ObjectIdentity;

/** Canal, the pod network: flannel's overlay (VXLAN), and Calico's Felix for NetworkPolicies. */
export function canal(facts: AddonFacts): Addon {
  const version = facts.calicoVersion ?? calicoVersion(facts.version);
  const flannelVersion = facts.flannelVersion ?? FLANNEL_VERSION;
  const config = configMap(facts);
  const canalFacts = { calicoVersion: version, flannelVersion, server: facts.server, configName: CONFIG_NAME };
  return {
    name: 'canal',
    version,
    objects: [
      ...CALICO_DEFINITIONS,
      ...CANAL_ROLES,
      { ...CONFIG_MAP, object: config },
      { ...CANAL_WORKLOAD, object: daemonSet(canalFacts, revisionOf(config.data)) },
    ],
    workload: CANAL_WORKLOAD,
    isNetwork: true,
    podSelector: `k8s-app=${NAME}`,
    claims: [CANAL_WORKLOAD, CONFIG_MAP],
  };
}

function configMap(facts: AddonFacts): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: CONFIG_NAME, namespace: ADDON_NAMESPACE, labels: { app: NAME } },
    data: { [CNI_KEY]: cniConfiguration(), [FLANNEL_KEY]: overlayConfiguration(facts) },
  };
}
