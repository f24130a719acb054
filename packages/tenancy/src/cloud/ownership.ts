/**
 * How everything that Fairway makes in a project says whose it is. The mark is written by the very call that makes the
 * resource, so that no crash can lose it: tags on servers (Nova takes them on create since 2.52), `description` on Neutron's
 * resources (their tags can only be set afterwards), the name on server groups (which carry nothing else).
 * Resources are found by these marks alone; their other names are for people.
 *
 * A mark proves nothing by itself: Neutron lists what other projects share, described as they please. So whoever looks for one says in which
 * project, and what belongs to any other is never Fairway's.
 */

/** On every server that any Fairway made: what the shared server list is filtered by. */
export const FAIRWAY_TAG = 'fairway';

/** Nova takes 60 characters of a tag, without '/' and ','. */
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

/** Whose server this is, or undefined for one that is not Fairway's. */
export function serverOwner(server: { readonly tags: readonly string[] }): ServerOwner | undefined {
  let clusterUid: string | undefined;
  let machineUid: string | undefined;
  for (const tag of server.tags) {
    clusterUid ??= CLUSTER_TAG.exec(tag)?.[1];
    machineUid ??= MACHINE_TAG.exec(tag)?.[1];
  }
  return clusterUid !== undefined && machineUid !== undefined ? { clusterUid, machineUid } : undefined;
}

/** What a Neutron resource is for in its cluster. A floating IP's role ends with its machine's UID. */
export type NetworkRole = 'network' | 'subnet' | 'router' | 'node-security-group' | `floating-ip-${string}`;

export function ownerDescription(clusterUid: string, role: NetworkRole): string {
  return `Fairway cluster ${clusterUid} ${role}`;
}

/** Of a Neutron resource, what says whose it is. */
export interface Marked {
  readonly description?: string | null | undefined;
  readonly project_id: string;
  /** What Neutron before Newton says in place of `project_id`. */
  readonly tenant_id?: string | undefined;
}

/** A cluster, and the project that it lives in. */
export interface ClusterOwner {
  readonly projectID: string;
  readonly clusterUid: string;
}

/** The resources among `items` that are the project's and carry the mark of this cluster and role, oldest first. */
export function ownedBy<T extends Marked & { readonly id: string; readonly created_at?: string | undefined }>(
  items: readonly T[],
  { projectID, clusterUid }: ClusterOwner,
  role: NetworkRole,
): readonly T[] {
  const mark = ownerDescription(clusterUid, role);
  return items.filter((item) => item.description === mark && isOfProject(item, projectID)).toSorted(byAge);
}

/** Everything of a cluster, whatever its role. */
export function isOwnedByCluster(item: Marked, { projectID, clusterUid }: ClusterOwner): boolean {
  return clusterOfDescription(item.description) === clusterUid && isOfProject(item, projectID);
}

const DESCRIPTION = /^Fairway cluster ([^ ]+) (?:network|subnet|router|node-security-group|floating-ip-[^ ]+)$/;

/** The UID of the cluster that a description names. */
export function clusterOfDescription(description: string | null | undefined): string | undefined {
  return DESCRIPTION.exec(description ?? '')?.[1];
}

export function isOfProject({ project_id, tenant_id }: Marked, projectID: string): boolean {
  return (project_id || tenant_id) === projectID;
}

/** Nova takes 255 characters of a name. */
export function serverGroupName({ clusterUid, poolUid }: ServerGroupOwner): string {
  return `fairway-cluster-${clusterUid}-pool-${poolUid}`;
}

export interface ServerGroupOwner {
  readonly clusterUid: string;
  readonly poolUid: string;
}

const SERVER_GROUP_NAME = /^fairway-cluster-(.+)-pool-(.+)$/;

/** Whose server group this is; undefined for one that is not Fairway's, or another project's. */
export function serverGroupOwner(
  { name, project_id }: { readonly name: string; readonly project_id?: string | undefined },
  projectID: string,
): ServerGroupOwner | undefined {
  const [, clusterUid, poolUid] = SERVER_GROUP_NAME.exec(name) ?? [];
  if (clusterUid === undefined || poolUid === undefined || project_id !== projectID) return undefined;
  return { clusterUid, poolUid };
}

function byAge(
  a: { id: string; created_at?: string | undefined },
  b: { id: string; created_at?: string | undefined },
): number {
  return (a.created_at ?? '').localeCompare(b.created_at ?? '') || a.id.localeCompare(b.id);
}
