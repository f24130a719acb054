import type { CacheFilters } from '@fairway/openstack/cache/project-cache';
import { CERTIFICATE_NAME_PATTERN } from './certificate-name.ts';

/**
 * Ownership marks of Fairway's resources in a project. The mark is set by the call that creates the resource, so a
 * crash cannot lose it. It is in tags on servers (Nova accepts them on create since 2.52) and on Octavia's objects, in
 * `description` on Neutron's resources (their tags can only be set afterwards), and in metadata on Cinder's volumes and
 * snapshots and on Manila's shares. It is in the name on server groups and on certificates in Barbican (which accept no
 * other field on create). Resources are found only by these marks; other names are informational.
 *
 * A mark alone proves nothing: Neutron also lists shared resources from other projects, with arbitrary descriptions. So
 * every lookup filters by project.
 */

/** Set on every server created by any Fairway; the shared server list filters by it. */
export const FAIRWAY_TAG = 'fairway';

/** Nova tags have at most 60 characters, and contain neither '/' nor ','. */
export function clusterTag(clusterUid: string): string {
  return `fairway-cluster-${clusterUid}`;
}

export function machineTag(machineUid: string): string {
  return `fairway-machine-${machineUid}`;
}

const MACHINE_TAG = /^fairway-machine-(.+)$/;
const CLUSTER_TAG = /^fairway-cluster-(.+)$/;

export interface ServerOwner {
  readonly clusterUid: string;
  readonly machineUid: string;
}

/** The owner of a server, or undefined if it is not Fairway's. */
export function serverOwner(server: { readonly tags: readonly string[] }): ServerOwner | undefined {
  let clusterUid: string | undefined;
  let machineUid: string | undefined;
  for (const tag of server.tags) {
    clusterUid ??= CLUSTER_TAG.exec(tag)?.[1];
    machineUid ??= MACHINE_TAG.exec(tag)?.[1];
  }
  return clusterUid !== undefined && machineUid !== undefined ? { clusterUid, machineUid } : undefined;
}

/** Octavia accepts 255 characters. */
function serviceTag(serviceUid: string): string {
  return `fairway-service-${serviceUid}`;
}

function ingressTag(ingressUid: string): string {
  return `fairway-ingress-${ingressUid}`;
}

function gatewayTag(gatewayUid: string): string {
  return `fairway-gateway-${gatewayUid}`;
}

const SERVICE_TAG = /^fairway-service-(.+)$/;
const INGRESS_TAG = /^fairway-ingress-(.+)$/;
const GATEWAY_TAG = /^fairway-gateway-(.+)$/;

/** The Service in a tenant's cluster that owns a load balancer, or one of its listeners, pools or monitors. */
export interface ServiceOwner {
  readonly clusterUid: string;
  readonly serviceUid: string;
}

/** Tags for all objects in Octavia that are created for a Service. */
export function serviceTags({ clusterUid, serviceUid }: ServiceOwner): readonly string[] {
  return [FAIRWAY_TAG, clusterTag(clusterUid), serviceTag(serviceUid)];
}

/** The owner of an Ingress's load balancers. */
export interface IngressOwner {
  readonly clusterUid: string;
  readonly ingressUid: string;
}

/** Tags for all objects in Octavia that are created for an Ingress. */
export function ingressTags({ clusterUid, ingressUid }: IngressOwner): readonly string[] {
  return [FAIRWAY_TAG, clusterTag(clusterUid), ingressTag(ingressUid)];
}

/** The owner of a Gateway's load balancers. */
export interface GatewayOwner {
  readonly clusterUid: string;
  readonly gatewayUid: string;
}

/** Tags for all objects in Octavia that are created for a Gateway. */
export function gatewayTags({ clusterUid, gatewayUid }: GatewayOwner): readonly string[] {
  return [FAIRWAY_TAG, clusterTag(clusterUid), gatewayTag(gatewayUid)];
}

/** Owner of a load balancer. */
export type LoadBalancerOwner = ServiceOwner | IngressOwner | GatewayOwner;

/** The owner, as its kind and UID. */
export function loadBalancerOwnerOf(owner: LoadBalancerOwner): {
  readonly kind: 'service' | 'ingress' | 'gateway';
  readonly uid: string;
} {
  if ('serviceUid' in owner) return { kind: 'service', uid: owner.serviceUid };
  if ('ingressUid' in owner) return { kind: 'ingress', uid: owner.ingressUid };
  return { kind: 'gateway', uid: owner.gatewayUid };
}

/** Fields of an object in Octavia that identify its owner. */
export interface TaggedObject {
  readonly tags: readonly string[];
  readonly project_id: string;
}

/**
 * The cluster of an object in Octavia, regardless of its owner; undefined for an object that is not Fairway's, or
 * belongs to another project.
 */
export function clusterOfTags({ tags, project_id }: TaggedObject, projectID: string): string | undefined {
  const isOwnTag = project_id === projectID && tags.includes(FAIRWAY_TAG);
  return isOwnTag ? firstMatch(tags, CLUSTER_TAG) : undefined;
}

/** The Service that owns an object in Octavia. */
export function serviceOwner(object: TaggedObject, projectID: string): ServiceOwner | undefined {
  const clusterUid = clusterOfTags(object, projectID);
  const serviceUid = firstMatch(object.tags, SERVICE_TAG);
  return clusterUid !== undefined && serviceUid !== undefined ? { clusterUid, serviceUid } : undefined;
}

/** The Ingress that owns an object in Octavia. */
export function ingressOwner(object: TaggedObject, projectID: string): IngressOwner | undefined {
  const clusterUid = clusterOfTags(object, projectID);
  const ingressUid = firstMatch(object.tags, INGRESS_TAG);
  return clusterUid !== undefined && ingressUid !== undefined ? { clusterUid, ingressUid } : undefined;
}

/** The Gateway that owns an object in Octavia. */
export function gatewayOwner(object: TaggedObject, projectID: string): GatewayOwner | undefined {
  const clusterUid = clusterOfTags(object, projectID);
  const gatewayUid = firstMatch(object.tags, GATEWAY_TAG);
  return clusterUid !== undefined && gatewayUid !== undefined ? { clusterUid, gatewayUid } : undefined;
}

/** Tag of a load balancer that a Service uses but does not own. */
export function sharerTag({ clusterUid, serviceUid }: ServiceOwner): string {
  return `fairway-shared-with-${clusterUid}/${serviceUid}`;
}

const SHARER_TAG = /^fairway-shared-with-([^/]+)\/(.+)$/;

/** The Services that use a load balancer without owning it. */
export function sharersOf({ tags, project_id }: TaggedObject, projectID: string): readonly ServiceOwner[] {
  if (project_id !== projectID) return [];
  return tags.flatMap((tag) => {
    const [, clusterUid, serviceUid] = SHARER_TAG.exec(tag) ?? [];
    return clusterUid === undefined || serviceUid === undefined ? [] : [{ clusterUid, serviceUid }];
  });
}

function firstMatch(tags: readonly string[], pattern: RegExp): string | undefined {
  return tags.map((tag) => pattern.exec(tag)?.[1]).find((value) => value !== undefined);
}

/**
 * The role of a Neutron resource in its cluster. For a machine's port and floating IP, it ends with the machine's UID;
 * for a port in an additional network, with `/` and the network ID.
 */
export type NetworkRole =
  | 'network'
  | 'subnet'
  | 'router'
  | 'node-security-group'
  | `port-${string}`
  | `floating-ip-${string}`
  | `service-floating-ip-${string}`
  | `ingress-floating-ip-${string}`
  | `gateway-floating-ip-${string}`;

export function ownerDescription(clusterUid: string, role: NetworkRole): string {
  return `Fairway cluster ${clusterUid} ${role}`;
}

/** The role of the floating IP of a load balancer. */
export function loadBalancerFloatingIpRole(owner: LoadBalancerOwner): NetworkRole {
  const { kind, uid } = loadBalancerOwnerOf(owner);
  return `${kind}-floating-ip-${uid}`;
}

const SERVICE_DESCRIPTION = /^Fairway cluster ([^ ]+) service-floating-ip-([^ ]+)$/;

/** The Service that a floating IP belongs to, from its description; undefined for other floating IPs. */
export function serviceOfDescription(description: string | null | undefined): ServiceOwner | undefined {
  const [, clusterUid, serviceUid] = SERVICE_DESCRIPTION.exec(description ?? '') ?? [];
  return clusterUid === undefined || serviceUid === undefined ? undefined : { clusterUid, serviceUid };
}

/**
 * Description of a load balancer's floating IP that must be retained: its owner can find it again, and deleting the
 * cluster does not delete the IP.
 */
export function keptFloatingIpDescription(owner: LoadBalancerOwner): string {
  const { kind, uid } = loadBalancerOwnerOf(owner);
  return `Fairway keeps this for cluster ${owner.clusterUid} ${kind} ${uid}`;
}

/** The ownership fields of a Neutron resource. */
export interface DescribedObject {
  readonly description?: string | null | undefined;
  readonly project_id: string;
  /** The name of `project_id` before Newton. */
  readonly tenant_id?: string | undefined;
}

/** A cluster and its project. */
export interface ClusterOwner {
  readonly projectID: string;
  readonly clusterUid: string;
}

/** The resources among `items` that belong to the project and carry the mark of this cluster and role, oldest first. */
export function ownedBy<T extends DescribedObject & { readonly id: string; readonly created_at?: string | undefined }>(
  items: readonly T[],
  { projectID, clusterUid }: ClusterOwner,
  role: NetworkRole,
): readonly T[] {
  const mark = ownerDescription(clusterUid, role);
  return items.filter((item) => item.description === mark && isOfProject(item, projectID)).toSorted(byAge);
}

/** All resources of a cluster, regardless of their role. */
export function isOwnedByCluster(item: DescribedObject, { projectID, clusterUid }: ClusterOwner): boolean {
  return clusterOfDescription(item.description) === clusterUid && isOfProject(item, projectID);
}

const OWNER_DESCRIPTION =
  /^Fairway cluster ([^ ]+) (?:network|subnet|router|node-security-group|(?:port|(?:(?:service|ingress|gateway)-)?floating-ip)-[^ ]+)$/;

/** The cluster UID in a description. */
export function clusterOfDescription(description: string | null | undefined): string | undefined {
  return OWNER_DESCRIPTION.exec(description ?? '')?.[1];
}

const MACHINE_DESCRIPTION = /^Fairway cluster ([^ ]+) (?:port|floating-ip)-([^ /]+)(?:\/[^ ]+)?$/;

/**
 * The machine that a port or floating IP belongs to, from its description; undefined for other ports and floating IPs.
 */
export function machineOfDescription(description: string | null | undefined): ServerOwner | undefined {
  const [, clusterUid, machineUid] = MACHINE_DESCRIPTION.exec(description ?? '') ?? [];
  return clusterUid === undefined || machineUid === undefined ? undefined : { clusterUid, machineUid };
}

export function isOfProject({ project_id, tenant_id }: DescribedObject, projectID: string): boolean {
  return (project_id || tenant_id) === projectID;
}

/** Nova limits names to 255 characters. */
export function serverGroupName({ clusterUid, poolUid }: ServerGroupOwner): string {
  return `fairway-cluster-${clusterUid}-pool-${poolUid}`;
}

export interface ServerGroupOwner {
  readonly clusterUid: string;
  readonly poolUid: string;
}

const SERVER_GROUP_NAME = /^fairway-cluster-(.{1,255})-pool-(.{1,255})$/;

/** The owner of a server group; undefined for a group that is not Fairway's, or belongs to another project. */
export function serverGroupOwner(
  { name, project_id }: { readonly name: string; readonly project_id?: string | undefined },
  projectID: string,
): ServerGroupOwner | undefined {
  const [, clusterUid, poolUid] = SERVER_GROUP_NAME.exec(name) ?? [];
  if (clusterUid === undefined || poolUid === undefined || project_id !== projectID) return undefined;
  return { clusterUid, poolUid };
}

/** Set on every volume, snapshot and share created by any Fairway; the shared lists filter by it. */
export const FAIRWAY_METADATA = { 'fairway.dev/managed-by': 'fairway' } as const;
const CLUSTER_KEY = 'fairway.dev/cluster';
/** Name of the PersistentVolume, or of the VolumeSnapshotContent. */
const OBJECT_KEY = 'fairway.dev/object';

/**
 * Owner of a volume, snapshot or share: the PersistentVolume or VolumeSnapshotContent with this name in the cluster.
 */
export interface StorageOwner {
  readonly clusterUid: string;
  readonly object: string;
}

/** Ownership marks in the metadata of a volume, snapshot or share; Cinder limits values to 255 characters. */
export function storageMetadata({ clusterUid, object }: StorageOwner): Readonly<Record<string, string>> {
  return { ...FAIRWAY_METADATA, [CLUSTER_KEY]: clusterUid, [OBJECT_KEY]: object };
}

/**
 * The owner of a volume, snapshot or share; undefined for one that is not Fairway's. Cinder and Manila list only the
 * session's project.
 */
export function storageOwner({
  metadata,
}: {
  readonly metadata: Readonly<Record<string, string>>;
}): StorageOwner | undefined {
  const { [CLUSTER_KEY]: clusterUid, [OBJECT_KEY]: object } = metadata;
  const isFairwayOwned = Object.entries(FAIRWAY_METADATA).every(([key, value]) => metadata[key] === value);
  return isFairwayOwned && clusterUid !== undefined && object !== undefined ? { clusterUid, object } : undefined;
}

/** Marks of resources that belong to a cluster but to no object in it, such as access rules of its shares. */
export function clusterMetadata(clusterUid: string): Readonly<Record<string, string>> {
  return { ...FAIRWAY_METADATA, [CLUSTER_KEY]: clusterUid };
}

const MACHINE_KEY = 'fairway.dev/machine';

/** Marks of the root volume of a Machine's server. Nova creates it without marks. */
export function rootVolumeMetadata({ clusterUid, machineUid }: ServerOwner): Readonly<Record<string, string>> {
  return { ...clusterMetadata(clusterUid), [MACHINE_KEY]: machineUid };
}

/** The Machine whose server boots from this volume; undefined for other volumes. */
export function rootVolumeOwner(volume: {
  readonly metadata: Readonly<Record<string, string>>;
}): ServerOwner | undefined {
  const { [CLUSTER_KEY]: clusterUid, [MACHINE_KEY]: machineUid } = volume.metadata;
  if (clusterUid === undefined || machineUid === undefined || !isOfCluster(volume, clusterUid)) return undefined;
  return { clusterUid, machineUid };
}

/** Whether the object carries the cluster's marks. */
export function isOfCluster(
  { metadata }: { readonly metadata: Readonly<Record<string, string>> },
  clusterUid: string,
): boolean {
  return Object.entries(clusterMetadata(clusterUid)).every(([key, value]) => metadata[key] === value);
}

const RECLAIM_POLICY_KEY = 'fairway.dev/reclaim-policy';

/**
 * `Delete` or `Retain`: the policy of the PersistentVolume or VolumeSnapshotContent, which applies once the cluster no
 * longer exists.
 */
export function reclaimMark(policy: 'Delete' | 'Retain'): Readonly<Record<string, string>> {
  return { [RECLAIM_POLICY_KEY]: policy };
}

/** Undefined until an object in the cluster stores data in the resource; until then, it may be deleted. */
export function reclaimPolicyOf({
  metadata,
}: {
  readonly metadata: Readonly<Record<string, string>>;
}): 'Delete' | 'Retain' | undefined {
  const policy = metadata[RECLAIM_POLICY_KEY];
  // An unreadable value is treated as `Retain`.
  return policy === undefined || policy === 'Delete' ? policy : 'Retain';
}

/** A project's resources in the shared lists. */
export const CACHE_FILTERS = {
  servers: { tags: [FAIRWAY_TAG] },
  loadBalancers: { tags: [FAIRWAY_TAG] },
  listeners: { tags: [FAIRWAY_TAG] },
  pools: { tags: [FAIRWAY_TAG] },
  healthMonitors: { tags: [FAIRWAY_TAG] },
  volumes: { metadata: FAIRWAY_METADATA },
  volumeSnapshots: { metadata: FAIRWAY_METADATA },
  shares: { metadata: FAIRWAY_METADATA },
  l7Policies: { tags: [FAIRWAY_TAG] },
  keySecrets: { name: CERTIFICATE_NAME_PATTERN },
} as const satisfies CacheFilters;

function byAge(
  a: { id: string; created_at?: string | undefined },
  b: { id: string; created_at?: string | undefined },
): number {
  return (a.created_at ?? '').localeCompare(b.created_at ?? '') || a.id.localeCompare(b.id);
}
