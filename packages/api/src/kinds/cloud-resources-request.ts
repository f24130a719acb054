import type { Schema } from '@fairway/apiserver/schema/schema';
import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { GROUP, VERSION } from '../group.ts';
import { int32, timestamp } from '../schema/scalars.ts';
import { requestSchema } from './request-schema.ts';

/** Maximum number of resources per kind in a response. */
export const MAX_RESOURCES = 500;
const MAX_PARTS = 200;

const text = () => z.string().max(255);

const spec = z.object({}).describe('Empty: the request has no parameters.');

const owner = z
  .object({
    kind: z.enum(['Service', 'Ingress', 'Gateway', 'PersistentVolumeClaim']).describe('Kind of the object.'),
    namespace: text().optional().describe('Namespace of the object when the resource was created.'),
    name: text().optional().describe('Name of the object when the resource was created.'),
    uid: text().optional().describe('UID of the object, by which Fairway identifies the owner of the resource.'),
  })
  .describe('Object in the cluster for which the resource was created.');

const listener = z
  .object({
    protocol: text().describe('Protocol as named by the cloud, such as TCP, UDP, HTTP or TERMINATED_HTTPS.'),
    port: int32().min(0).describe('Port of the listener.'),
    members: int32().min(0).optional().describe('Number of nodes or pods behind the listener. Absent if unknown.'),
    operatingStatus: text()
      .optional()
      .describe(
        "Operating status of the listener's pool, as reported by the cloud, such as ONLINE, DEGRADED or ERROR.",
      ),
  })
  .describe('Listener of a load balancer.');

const loadBalancer = z
  .object({
    id: text().describe('ID in the cloud.'),
    name: text().optional().describe('Name in the cloud.'),
    owner: owner.optional(),
    address: text().describe('Address of the load balancer in its network.'),
    floatingAddress: text().optional().describe('Floating IP of the load balancer.'),
    provider: text().optional().describe('Provider of the load balancer, which may determine its price.'),
    provisioningStatus: text().describe(
      'Provisioning status: ACTIVE, ERROR, or PENDING_ followed by the operation, such as PENDING_UPDATE.',
    ),
    operatingStatus: text().optional().describe('Operating status: ONLINE, DEGRADED, OFFLINE, ERROR or NO_MONITOR.'),
    isShared: z
      .boolean()
      .describe('Whether the load balancer was created outside the cluster and is used by its Services.'),
    createdAt: text().optional().describe('Creation time, as reported by the cloud.'),
    listeners: z.array(listener).max(MAX_PARTS).describe('Listeners of the load balancer.'),
  })
  .describe('Load balancer in the cloud.');

const volume = z
  .object({
    id: text().describe('ID in the cloud.'),
    name: text().optional().describe('Name in the cloud, which is the name of the PersistentVolume.'),
    owner: owner.optional(),
    sizeGiB: int32().min(0).describe('Size of the volume in GiB.'),
    type: text().optional().describe('Type of the volume, which may determine its price.'),
    zone: text().optional().describe('Availability zone of the volume.'),
    status: text().describe('Status as reported by the cloud, such as available, in-use or error.'),
    machines: z.array(text()).max(MAX_PARTS).describe('Machines to which the volume is attached.'),
    elsewhere: int32()
      .min(1)
      .optional()
      .describe('Number of servers to which the volume is attached but which are not machines of the cluster.'),
    createdAt: text().optional().describe('Creation time, as reported by the cloud.'),
  })
  .describe('Volume of a PersistentVolume.');

const unknown = z
  .object({
    kind: z.enum(['LoadBalancers', 'Volumes', 'FloatingIPs']).describe('Type of resource that could not be listed.'),
    message: z
      .string()
      .max(1024)
      .describe('Human-readable reason. If these resources were listed before, the earlier list is returned.'),
  })
  .describe('Type of resource whose state is currently unknown.');

const status = z
  .object({
    time: timestamp().describe('Time when the oldest of the lists was requested.'),
    loadBalancers: z
      .array(loadBalancer)
      .max(MAX_RESOURCES)
      .describe('Load balancers of Services, Ingresses and Gateways.'),
    moreLoadBalancers: int32().min(1).optional().describe('Number of load balancers that are not listed.'),
    volumes: z.array(volume).max(MAX_RESOURCES).describe('Volumes of PersistentVolumes.'),
    moreVolumes: int32().min(1).optional().describe('Number of volumes that are not listed.'),
    unknown: z.array(unknown).max(3).optional().describe('Types of resources that could not be listed.'),
  })
  .describe('Response to the request.');

export type CloudResourcesStatus = z.infer<typeof status>;
export type ClusterLoadBalancer = z.infer<typeof loadBalancer>;
export type ClusterVolume = z.infer<typeof volume>;
export type CloudResourceOwner = z.infer<typeof owner>;
export type UnknownResources = z.infer<typeof unknown>;

/** Request and response body of a POST to `clusters/NAME/cloudresources`. It changes nothing. */
export interface CloudResourcesRequest extends KubeObject {
  spec: z.infer<typeof spec>;
  status?: CloudResourcesStatus;
}

export const CLOUD_RESOURCES_SUBRESOURCE = 'cloudresources';
export const CLOUD_RESOURCES_REQUEST_KIND = { group: GROUP, version: VERSION, kind: 'CloudResourcesRequest' } as const;

/** The kind that decodes the subresource. */
export function cloudResourcesRequestSchema(): Schema {
  return requestSchema(
    { spec, status },
    'CloudResourcesRequest returns the load balancers and volumes that a cluster has in the cloud, and their state.',
  );
}
