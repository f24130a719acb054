import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { CSINodeDriver, Node } from '@fairway/kube/kinds/generated/types';
import { CSINodes } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import type { ServerInfo } from './server-info.ts';

/** The driver that hollow nodes play: cinder-csi-plugin's half on nodes. */
const DRIVER = 'cinder.csi.openstack.org';
/** What it says the zone of a node is, as a label and as the key of its topology. */
const ZONE_KEY = 'topology.cinder.csi.openstack.org/zone';
/** As the add-on `cinder-csi` sets it: what clouds allow a server. */
const MAX_VOLUMES = 100;

/** Labels that kubelet sets for the driver. */
export function topologyLabels({ zone }: ServerInfo): Record<string, string> {
  return zone === undefined ? {} : { [ZONE_KEY]: zone };
}

/** Registers the driver as kubelet does when its socket appears; drivers of others stay. */
export async function registerDriver(
  client: KubeClient,
  { metadata }: Node,
  server: ServerInfo,
  signal: AbortSignal,
): Promise<void> {
  const { name = '', uid = '' } = metadata;
  const driver: CSINodeDriver = {
    name: DRIVER,
    nodeID: server.id,
    topologyKeys: server.zone === undefined ? [] : [ZONE_KEY],
    allocatable: { count: MAX_VOLUMES },
  };
  const csiNodes = client.resource(CSINodes);
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name, uid }];
  try {
    await csiNodes.create({ metadata: { name, ownerReferences }, spec: { drivers: [driver] } }, { signal });
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
    const { spec } = await csiNodes.get(name, { signal });
    const others = (spec.drivers ?? []).filter((each) => each.name !== DRIVER);
    const value = { metadata: { ownerReferences }, spec: { drivers: [...others, driver] } };
    await csiNodes.patch(name, { type: 'merge', value }, { signal });
  }
}
