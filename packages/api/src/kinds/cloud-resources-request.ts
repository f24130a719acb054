import type { Schema } from '@fairway/apiserver/schema/schema';
import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { GROUP, VERSION } from '../group.ts';
import { int32, timestamp } from '../schema/scalars.ts';
import { requestSchema } from './request-schema.ts';

/** How many of a kind an answer has. */
export const MAX_RESOURCES = 500;
const MAX_PARTS = 200;

const text = () => z.string().max(255);

const spec = z.object({}).describe('Nothing is asked but for all.');

const owner = z
  .object({
    kind: z.enum(['Service', 'Ingress', 'Gateway', 'PersistentVolumeClaim']).describe('Kind of the object.'),
    namespace: text().optional().describe('Its namespace, as it was written when this was made.'),
    name: text().optional().describe('Its name, as it was written when this was made.'),
    uid: text().optional().describe('Its UID, by which Fairway knows what this is for.'),
  })
  .describe('The object in the cluster that this was made for.');

const listener = z
  .object({
    protocol: text().describe('TCP, UDP, HTTP, TERMINATED_HTTPS and so on, as the cloud calls it.'),
    port: int32().min(0).describe('The port that it listens on.'),
    members: int32().min(0).optional().describe('Nodes or pods behind it. Absent: not known.'),
    operatingStatus: text().optional().describe('What the cloud says of what is behind it: ONLINE, DEGRADED, ERROR.'),
  })
  .describe('A listener of a load balancer.');

const loadBalancer = z
  .object({
    id: text().describe('Id in the cloud.'),
    name: text().optional().describe('Name in the cloud.'),
    owner: owner.optional(),
    address: text().describe('Its address in the network.'),
    floatingAddress: text().optional().describe('The floating IP that leads to it.'),
    provider: text().optional().describe('Provider of the load balancer, which its price may depend on.'),
    provisioningStatus: text().describe('ACTIVE, ERROR, or PENDING_ with what is being done to it.'),
    operatingStatus: text().optional().describe('ONLINE, DEGRADED, OFFLINE, ERROR or NO_MONITOR.'),
    isShared: z.boolean().describe('Whether it was made by somebody else, and Services of the cluster use it.'),
    createdAt: text().optional().describe('When it was made, as the cloud says.'),
    listeners: z.array(listener).max(MAX_PARTS).describe('Its listeners.'),
  })
  .describe('A load balancer.');

const volume = z
  .object({
    id: text().describe('Id in the cloud.'),
    name: text().optional().describe('Name in the cloud, which is that of the PersistentVolume.'),
    owner: owner.optional(),
    sizeGiB: int32().min(0).describe('Its size.'),
    type: text().optional().describe('Type of the volume, which its price may depend on.'),
    zone: text().optional().describe('Zone of the volume.'),
    status: text().describe('available, in-use, error and so on, as the cloud calls it.'),
    machines: z.array(text()).max(MAX_PARTS).describe('Machines that it is attached to.'),
    elsewhere: int32()
      .min(1)
      .optional()
      .describe('How many servers it is attached to that are no machines of the cluster.'),
    createdAt: text().optional().describe('When it was made, as the cloud says.'),
  })
  .describe('A volume of a PersistentVolume.');

const unknown = z
  .object({
    kind: z.enum(['LoadBalancers', 'Volumes', 'FloatingIPs']).describe('What could not be listed.'),
    message: z
      .string()
      .max(1024)
      .describe('Why, as a sentence for people. What is shown is from before, if it was ever listed.'),
  })
  .describe('Something that is not known at the moment.');

const status = z
  .object({
    time: timestamp().describe('When the oldest of the lists began that this is from.'),
    loadBalancers: z.array(loadBalancer).max(MAX_RESOURCES).describe('Those of Services, Ingresses and Gateways.'),
    moreLoadBalancers: int32().min(1).optional().describe('How many more there are.'),
    volumes: z.array(volume).max(MAX_RESOURCES).describe('Those of PersistentVolumes.'),
    moreVolumes: int32().min(1).optional().describe('How many more there are.'),
    unknown: z.array(unknown).max(3).optional().describe('What could not be looked at.'),
  })
  .describe('The answer.');

export type CloudResourcesStatus = z.infer<typeof status>;
export type ClusterLoadBalancer = z.infer<typeof loadBalancer>;
export type ClusterVolume = z.infer<typeof volume>;
export type CloudResourceOwner = z.infer<typeof owner>;
export type UnknownResources = z.infer<typeof unknown>;

/** Request and response body of a POST to `clusters/NAME/cloudresources`. Nothing is changed by it. */
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
    'CloudResourcesRequest asks which load balancers and volumes a cluster has in the cloud, and how they are.',
  );
}
