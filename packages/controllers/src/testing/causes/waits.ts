import { actionRequiredBy } from '@fairway/api/conditions';
import type { Cause } from './cause.ts';

/** A wait during a deletion or a start that someone other than Fairway must resolve. */
export interface Wait {
  readonly of: 'start' | 'deletion';
  /** What is not created or not deleted. */
  readonly object: string;
  readonly heldBy: string;
  /** The row in the table of causes that triggers it and tests its report. */
  readonly cause: string;
}

const starts = (object: string, rows: readonly (readonly [heldBy: string, cause: string])[]): readonly Wait[] =>
  rows.map(([heldBy, cause]) => ({ of: 'start', object, heldBy, cause }));
const deletions = (object: string, rows: readonly (readonly [heldBy: string, cause: string])[]): readonly Wait[] =>
  rows.map(([heldBy, cause]) => ({ of: 'deletion', object, heldBy, cause }));

/** All waits, in the order of docs/operators/causes.md. */
export const WAITS: readonly Wait[] = [
  ...deletions('any', [
    ['a refused login', 'A cluster is deleted after its credential was revoked'],
    ['a person who has paused it', 'A paused cluster is deleted'],
  ]),
  ...deletions('network', [
    ['a port that the cluster did not create', 'A port of the tenant is in the network of a deleted cluster'],
    ['what Neutron alone knows', 'The cloud refuses to delete the network of a deleted cluster'],
  ]),
  ...deletions('router', [
    ['a floating IP behind it', 'A floating IP of the tenant needs the router of a deleted cluster'],
  ]),
  ...deletions('security group', [
    ['a port that has it', 'A port of the tenant has the security group of a deleted cluster'],
  ]),
  ...deletions('volume', [
    ['another server', 'A volume of a deleted cluster is attached to another server'],
    ['a snapshot', 'A volume of a deleted cluster has a snapshot of the tenant'],
    ['a failure of Cinder', 'Cinder fails to delete a volume of a deleted cluster'],
    [
      'a failure of Cinder with a boot volume',
      'Cinder fails to delete the volume that a server of a deleted cluster booted from',
    ],
  ]),
  ...deletions('server group', [['Nova', 'Nova does not delete the server group of a deleted cluster']]),
  ...deletions('share', [['a failure of Manila', 'Manila fails to delete a share of a deleted cluster']]),
  ...deletions('load balancer', [
    ['its state: immutable', 'Octavia refuses to delete a load balancer of a deleted cluster'],
    ['its state: PENDING_*', 'Octavia does not finish changing a load balancer of a deleted cluster'],
  ]),
  ...deletions('server', [
    ['a lock', 'A cluster is deleted, and somebody has locked a server of it'],
    ['Nova, which does not finish', 'Nova does not finish deleting a server of a deleted cluster'],
    ['Nova, which keeps it', 'Nova keeps a server of a deleted cluster that it reports as deleted'],
  ]),
  ...deletions('node', [
    ['a PodDisruptionBudget', 'A PodDisruptionBudget blocks a drain'],
    [
      'a PodDisruptionBudget, for as long as its pool is configured to wait',
      'A PodDisruptionBudget blocks a node update',
    ],
    [
      "the tenant's API server, or a webhook",
      'The API server of a cluster refuses to delete the node of a deleted machine',
    ],
  ]),
  ...deletions('plan', [['a cluster that uses it', 'A plan that clusters use is deleted']]),
  ...starts('cluster', [
    ['a refused login', 'The credential is wrong, expired or revoked'],
    ['a CloudCredential', 'A CloudCredential is gone'],
    ['a CloudCredential that has expired', 'The credential of a cluster has expired'],
    ['a role that the credential lacks', 'The credential may not create networks'],
    ['a Plan', 'The plan is gone'],
    ['a Plan that contradicts itself', 'The plan of a new cluster contradicts itself'],
    ['the number of clusters that the Plan allows', 'The namespace has as many clusters as the plan allows'],
    ['the ProjectQuota', 'The project has as many clusters as its quota allows'],
    ['a version', 'The version is not offered'],
    ['programs of the version', 'The binaries of the version are not installed'],
    ['its network', 'A network of the tenant no longer exists'],
    ['a subnet', 'A network of the tenant has no subnet'],
    ['ranges that overlap', 'A subnet of the tenant overlaps the pod network'],
    ['its router', 'A router is gone'],
    ['an external network', 'An external network is gone'],
    ['the quota of networks', 'The quota of networks is used up'],
    ['the quota of routers', 'The quota of routers is used up'],
    ['the quota of security group rules', 'The quota of security group rules is used up'],
    ['Keystone', 'Keystone is away'],
    ['Neutron', 'Neutron is away'],
    ['a disk of the control plane', 'The control plane has no disk'],
    ['a setting that kube-apiserver refuses', 'The API server does not start with the settings'],
    ['a database that is full', 'The database of a cluster is full'],
    ['firewall rules that cannot be created', 'Fairway cannot restrict access to the API server'],
    ['a first node', 'A first node has not joined: its cluster'],
  ]),
  ...starts('pool', [
    ['a Cluster', 'The cluster of a pool is gone'],
    ['an image', 'An image is gone'],
    ['an additional network', 'An additional network of a pool no longer exists'],
    ['a subnet of an additional network', 'An additional network of a pool has no subnet'],
    ['an additional network with conflicting ranges', 'An additional network of a pool overlaps the pod network'],
    ['a router for floating IPs', 'Floating IPs without a router'],
    ['addresses of the range', 'A range has no room for the nodes'],
    ['the number of nodes that the Plan allows', 'The pools of a cluster request more nodes than the plan allows'],
    ['a flavor that the Plan no longer allows', 'The plan no longer allows the flavor of a pool that grows'],
    ['the ProjectQuota', 'The pools of a project request more nodes than its quota allows'],
    ['the quota of server groups', 'The quota of server groups is used up'],
    ["Fairway's own API", "Fairway's own API refuses Machines"],
    ['a first node', 'A first node has not joined: its pool'],
    ['Nova limits of rates', 'Nova limits rates'],
  ]),
  ...starts('server', [
    ['the quota of instances', 'The quota of instances is used up'],
    ['the quota of cores', 'The quota of cores is used up'],
    ['the quota of memory', 'The quota of memory is used up'],
    ['the quota of ports', 'The quota of ports is used up'],
    ['a flavor', 'A flavor is gone'],
    ['a security group that its pool specifies', 'A security group of a new pool does not exist'],
    ['an availability zone', 'An availability zone is gone'],
    ['a type of volume', 'A type of volume is gone'],
    ['room on hypervisors', 'A flavor is out of stock'],
    ['a hypervisor of its own', 'No other hypervisor is available for a pool with anti-affinity'],
    ['the quota of servers in a server group', 'The server group of a pool with anti-affinity is full'],
    ['a fault of Nova', 'A server ends in ERROR'],
    ['Nova', 'Nova answers 500'],
    ['connections to Nova', 'Connections to Nova break'],
    ['a role that the credential lacks', 'The credential may not create servers'],
    ['a lock', 'A server to be reinstalled is locked'],
  ]),
  ...starts('node', [
    ['its server, which does not join', 'A server has not joined'],
    ["the tenant's API server", "The cluster's API server refuses Fairway"],
    ['its server, which is off', 'A server was stopped'],
  ]),
];

/** Phases in which existing objects have a problem, rather than being created or deleted. */
const FAIRWAY_WORKING: ReadonlySet<string | undefined> = new Set([
  'Ready',
  'NotReady',
  'Updating',
  'Hibernated',
  undefined,
]);

/** Whether a cause is about a start or a deletion that is waiting for someone other than Fairway. */
export function isWait({ kind, condition = 'Ready', phase, reason }: Cause): boolean {
  if (kind !== 'Cluster' && kind !== 'NodePool' && kind !== 'Machine') return false;
  return condition === 'Ready' && !FAIRWAY_WORKING.has(phase) && actionRequiredBy(reason) !== 'fairway';
}
