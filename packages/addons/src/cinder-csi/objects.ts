import { CINDER_DRIVER } from '@fairway/kube/kinds/csi-source';
import type { CSIDriver } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps, CSIDrivers, DaemonSets, ServiceAccounts } from '@fairway/kube/kinds/resources';
import type { Addon, AddonFacts, ObjectIdentity } from '../addon.ts';
import { revisionOf } from '../revision.ts';
import { cinderCsiVersion } from '../versions.ts';
import { configMap, daemonSet, PLUGIN_ACCOUNT, PLUGIN_CONFIG, PLUGIN_NAME, serviceAccount } from './node-plugin.ts';
import { storageClass } from './storage-class.ts';

const ACCOUNT = { type: ServiceAccounts, name: PLUGIN_ACCOUNT };
const CONFIG_MAP = { type: ConfigMaps, name: PLUGIN_CONFIG };
const DRIVER = { type: CSIDrivers, name: CINDER_DRIVER };
const WORKLOAD = { type: DaemonSets, name: PLUGIN_NAME };

/**
 * All objects that the add-on has contained in any release, except StorageClasses, whose names the operator chooses.
 */
export const CINDER_CSI_OBJECTS: readonly ObjectIdentity[] = [ACCOUNT, CONFIG_MAP, DRIVER, WORKLOAD];

/**
 * Cinder volumes: the driver's node service, and the classes of the plan. Fairway itself is the controller service.
 */
export function cinderCsi(facts: AddonFacts): Addon {
  const version = cinderCsiVersion(facts.version, facts.cinderCsiVersion);
  const config = configMap();
  return {
    name: 'cinder-csi',
    version,
    objects: [
      { ...ACCOUNT, object: serviceAccount() },
      { ...CONFIG_MAP, object: config },
      { ...DRIVER, object: driver() },
      { ...WORKLOAD, object: daemonSet(version, revisionOf(config.data)) },
      ...facts.storage.classes.map(storageClass),
    ],
    workload: WORKLOAD,
    podSelector: `app=${PLUGIN_NAME}`,
    claims: [WORKLOAD, DRIVER],
  };
}

function driver(): CSIDriver {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: CINDER_DRIVER },
    spec: {
      attachRequired: true,
      podInfoOnMount: true,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      volumeLifecycleModes: ['Persistent'],
    },
  };
}
