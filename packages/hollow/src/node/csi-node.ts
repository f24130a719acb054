import type { KubeClient } from '@fairway/kube/client/kube-client';
import { CINDER_DRIVER } from '@fairway/kube/kinds/csi-source';
import type { CSINodeDriver, Node } from '@fairway/kube/kinds/generated/types';
import { CSINodes } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { labelValue } from '@fairway/kube/object/label-value';
import type { ServerInfo } from './server-info.ts';

/** Node label and topology key of the zone. */
const ZONE_KEY = `topology.${CINDER_DRIVER}/zone`;
/** Volume limit as set by the `cinder-csi` add-on: the number that clouds allow per server. */
const MAX_VOLUMES = 100;

/** Labels that kubelet sets for the driver. */
export function topologyLabels({ zone }: ServerInfo): Record<string, string> {
  return zone ? { [ZONE_KEY]: labelValue(zone) } : {};
}

/** Registers the driver as kubelet does when its socket appears; other drivers are kept. */
export async function registerDriver(
  client: KubeClient,
  { metadata }: Node,
  server: ServerInfo,
  signal: AbortSignal,
): Promise<void> {
  const { name = '', uid = '' } = metadata;
  const driver: CSINodeDriver = {
    name: CINDER_DRIVER,
    nodeID: server.id,
    topologyKeys: Object.keys(topologyLabels(server)),
    allocatable: { count: MAX_VOLUMES },
  };
  const csiNodes = client.resource(CSINodes);
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name, uid }];
  try {
    await csiNodes.create({ metadata: { name, ownerReferences }, spec: { drivers: [driver] } }, { signal });
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
    const { spec } = await csiNodes.get(name, { signal });
    const others = (spec.drivers ?? []).filter((each) => each.name !== CINDER_DRIVER);
    const value = { metadata: { ownerReferences }, spec: { drivers: [...others, driver] } };
    await csiNodes.patch(name, { type: 'merge', value }, { signal });
  }
}
