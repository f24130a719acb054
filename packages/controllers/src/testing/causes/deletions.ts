import { PAUSED_ANNOTATION } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { type LifecycleStep, NO_LATENCY } from '@fairway/simulator/http/latency';
import { clusterTag, FAIRWAY_TAG, reclaimMark, storageMetadata } from '@fairway/tenancy/cloud/ownership';
import { SwitchedFaults } from '../lasting-causes.ts';
import type { TestFairway } from '../test-fairway.ts';
import { type Cause, fault, MINUTE_MS, type Steps } from './cause.ts';
import { serverOf } from './nodes.ts';

/** A cluster with a node: creates something in the cloud for it, changes that, and deletes the cluster. */
function deletedAfterSetup<T>(
  make: (fairway: TestFairway) => Promise<T>,
  wait: (fairway: TestFairway, created: T) => unknown = () => undefined,
  more: Partial<Steps> = {},
): Steps {
  let created: T;
  return {
    from: 'a cluster',
    begin: async (fairway) => {
      created = await make(fairway);
    },
    request: () => undefined,
    laterChange: async (fairway) => {
      await wait(fairway, created);
      await fairway.delete(clusters, 'demo');
    },
    ...more,
  };
}

const nothing = () => Promise.resolve();

/** A cloud in which steps of these kinds take a day. */
function slow(...steps: readonly LifecycleStep[]): Pick<Steps, 'cloud'> {
  const lifetimes = Object.fromEntries(steps.map((step) => [step, 24 * 60 * MINUTE_MS]));
  return { cloud: { latency: { ...NO_LATENCY, lifecycle: { ...NO_LATENCY.lifecycle, ...lifetimes } } } };
}

async function clusterIn(fairway: TestFairway) {
  const cluster = await fairway.client.resource(clusters).get('demo', { namespace: 'team' });
  return { uid: identityOf(cluster), network: cluster.status?.network ?? {} };
}

/** A volume as created for one of the cluster's claims. */
async function makeVolume(fairway: TestFairway): Promise<string> {
  const { uid: clusterUid } = await clusterIn(fairway);
  const metadata = { ...storageMetadata({ clusterUid, object: 'pvc-data' }), ...reclaimMark('Delete') };
  const { volumes } = fairway.process.project.client.blockStorage;
  return (await volumes.create({ name: 'pvc-data', size: 1, metadata })).id;
}

/** One of the tenant's servers, unrelated to the cluster. */
async function makeServer({ process }: TestFairway): Promise<string> {
  const { cache, client } = process.project;
  const { id: networkID } = await client.network.networks.create({ name: 'theirs' });
  await client.network.subnets.create({ network_id: networkID, ip_version: 4, cidr: '10.66.0.0/24' });
  const [{ id: flavorRef = '' } = {}] = (await cache.flavors.refreshAfter(0)).items.values();
  const [{ id: imageRef = '' } = {}] = (await cache.images.refreshAfter(0)).items.values();
  const server = { name: 'other', flavorRef, imageRef, networks: [{ uuid: networkID }] };
  return (await client.compute.servers.create(server)).id;
}

const attachElsewhere = deletedAfterSetup(
  async (fairway) => ({ server: await makeServer(fairway), volume: await makeVolume(fairway) }),
  ({ process }, { server, volume }) => process.project.client.compute.servers.attachVolume(server, volume),
);

const snapshotVolume = deletedAfterSetup(makeVolume, ({ process }, volume_id) =>
  process.project.client.blockStorage.snapshots.create({ volume_id, name: 'mine' }),
);

async function makeLoadBalancer(fairway: TestFairway): Promise<void> {
  const { uid, network } = await clusterIn(fairway);
  const tags = [FAIRWAY_TAG, clusterTag(uid)];
  const { loadBalancers } = fairway.process.project.client.loadBalancing;
  await loadBalancers.create({ name: 'kube-web', vip_subnet_id: network.subnetID ?? '', tags });
}

async function makeShare(fairway: TestFairway): Promise<void> {
  const { uid: clusterUid } = await clusterIn(fairway);
  const metadata = { ...storageMetadata({ clusterUid, object: 'pvc-files' }), ...reclaimMark('Delete') };
  const { shares } = fairway.process.project.client.sharedFileSystem;
  await shares.create({ name: 'pvc-files', share_proto: 'NFS', size: 1, metadata });
}

async function makePort(fairway: TestFairway): Promise<void> {
  const { network } = await clusterIn(fairway);
  const port = { network_id: network.networkID ?? '', name: 'theirs', device_owner: 'compute:nova' };
  await fairway.process.project.client.network.ports.create(port);
}

/** Creates a floating IP on a port in the cluster's network, which blocks its router. */
async function assignFloatingIp(fairway: TestFairway): Promise<void> {
  const { network } = await clusterIn(fairway);
  const { ports, networks, floatingIps } = fairway.process.project.client.network;
  const { id: port_id } = await ports.create({ network_id: network.networkID ?? '', name: 'theirs' });
  const [external] = await Array.fromAsync(networks.list({ 'router:external': true }));
  await floatingIps.create({ floating_network_id: external?.id ?? '', port_id });
}

async function useSecurityGroup(fairway: TestFairway): Promise<void> {
  const { network: cluster } = await clusterIn(fairway);
  const { networks, ports } = fairway.process.project.client.network;
  const { id: network_id } = await networks.create({ name: 'theirs' });
  await ports.create({ network_id, name: 'theirs', security_groups: [cluster.securityGroupID ?? ''] });
}

let credentialID = '';
/** Revokes the credential in Keystone, and deletes the cluster that uses it. */
const revoked: Steps = {
  from: 'nothing',
  begin: async (fairway) => {
    const id = await fairway.createCredential();
    await fairway.createCluster({ credentialName: 'mine' });
    await fairway.createPool({ replicas: 1 });
    credentialID = id;
  },
  request: () => undefined,
  laterChange: async (fairway) => {
    await fairway.process.project.client.identity.deleteApplicationCredential(credentialID);
    await fairway.delete(clusters, 'demo');
  },
};

/** A cluster with a pool of this shape, which is deleted during cloud faults. */
function deletedWithPool(pool: Parameters<TestFairway['createPool']>[0], begin: Steps['begin']): Steps {
  return {
    from: 'nothing',
    begin: async (fairway) => {
      await fairway.createCluster();
      await fairway.createPool({ replicas: 1, ...pool });
    },
    request: () => undefined,
    laterChange: async (fairway) => {
      await begin(fairway, new SwitchedFaults());
      await fairway.delete(clusters, 'demo');
    },
  };
}

/**
 * Reports about a cluster whose deletion is waiting for someone; the Cluster's message and Event differ only
 * in the time.
 */
function deletion(
  cause: string,
  by: Steps,
  reason: Cause['reason'],
  message: string,
  more: Partial<Cause> = {},
): Cause {
  return {
    cause,
    by,
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Deleting',
    reason,
    message: `${message}; since {time}`,
    event: { kind: 'Cluster', reason, message },
    ...more,
  };
}

const HELD_GROUP_MESSAGE =
  'pool general: server group fairway-cluster-{id}-pool-{id} ({id}) cannot be deleted: Injected by the simulator; delete or detach whatever else uses it, and Fairway continues automatically';

const HELD_MACHINE_MESSAGE = '1 machine and 1 pool still to be deleted; machine {machine}: ';

/** Like `deletion`, for a cluster whose machine is waiting. */
function machineDeletion(
  cause: string,
  by: Steps,
  reason: Cause['reason'],
  message: string,
  afterMs = 2 * MINUTE_MS,
): Cause {
  const eventMessage = `machine {machine}: ${message}; since {time}`;
  return deletion(cause, by, reason, message, {
    afterMs,
    message: `${HELD_MACHINE_MESSAGE}${message}; since {time}`,
    event: { kind: 'Cluster', reason, message: eventMessage },
  });
}

/** Waits during deletions that someone other than Fairway must resolve. */
export const DELETION_CAUSES: readonly Cause[] = [
  machineDeletion(
    'A cluster is deleted after its credential was revoked',
    revoked,
    'CredentialInvalid',
    'identity: Could not find Application Credential: {id}.; the credential of this project is wrong, expired or revoked: it is CloudCredential mine; create another one ("fairway credential create NAME --cloud CLOUD") and set spec.credentialName of the clusters that use it, or replace its Secret',
  ),
  {
    cause: 'A cluster is deleted after its credential was revoked: the cloud',
    by: revoked,
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Deleting',
    condition: 'CloudReachable',
    reason: 'CredentialInvalid',
    message:
      'CloudCredential mine cannot be used: it was revoked: Keystone no longer has application credential {id}; create another one ("fairway credential create NAME --cloud CLOUD") and set spec.credentialName of the clusters that use this one, or replace Secret login; since {time}',
  },
  machineDeletion(
    'A cluster is deleted, and somebody has locked a server of it',
    deletedAfterSetup(nothing, async (fairway) => (await serverOf(fairway)).act({ lock: null })),
    'ServerLocked',
    'server {id} is locked: openstack server unlock {id}',
  ),
  machineDeletion(
    'Nova does not finish deleting a server of a deleted cluster',
    deletedAfterSetup(nothing, undefined, slow('delete')),
    'CloudBusy',
    'Nova has not deleted server {id} yet (ACTIVE, deleting); if this persists, the cloud operator must check nova-compute and delete it with openstack server delete --force; Fairway retries',
    10 * MINUTE_MS,
  ),
  machineDeletion(
    'Nova keeps a server of a deleted cluster that it reports as deleted',
    deletedAfterSetup(nothing, undefined, {
      cloud: { reclaimInstanceIntervalMs: 24 * 60 * MINUTE_MS, forbidsForceDelete: true },
    }),
    'PermissionDenied',
    'server {id} is soft-deleted: Nova retains it with its ports and volumes until reclaim_instance_interval has passed, and the policy os_compute_api:os-deferred-delete:force does not let this project delete it earlier; the cloud operator can: openstack server delete --force {id}',
  ),
  deletion(
    'Nova does not delete the server group of a deleted cluster',
    deletedWithPool(
      { antiAffinity: true },
      fault({
        service: 'compute',
        method: 'DELETE',
        path: '/os-server-groups/',
        action: { kind: 'answer', status: 409 },
      }),
    ),
    'ResourceInUse',
    HELD_GROUP_MESSAGE,
    {
      message: `0 machines and 1 pool still to be deleted; ${HELD_GROUP_MESSAGE}; since {time}`,
      event: { kind: 'Cluster', reason: 'ResourceInUse', message: `${HELD_GROUP_MESSAGE}; since {time}` },
    },
  ),
  deletion(
    'Cinder fails to delete the volume that a server of a deleted cluster booted from',
    deletedWithPool({ rootVolume: { sizeGiB: 40 } }, fault({ action: { kind: 'volumeError', step: 'delete' } })),
    'DeletionFailed',
    'volume {machine}-root ({id}) is error_deleting: Cinder could not delete it; the cloud operator must check the log of Cinder and reset its state or force its deletion; Fairway retries',
  ),
  {
    cause: 'The API server of a cluster refuses to delete the node of a deleted machine',
    by: {
      from: 'a cluster',
      begin: (_, faults) => {
        faults.refusesTenantWrites = true;
      },
      request: async (fairway) => {
        const [machine] = await fairway.machines();
        await fairway.delete(machines, machine?.metadata.name ?? '');
      },
    },
    afterMs: 2 * MINUTE_MS,
    kind: 'Machine',
    phase: 'Draining',
    reason: 'ControlPlaneFailed',
    message: "the cluster's API server rejects Fairway's request: HTTP 403; trying again",
  },
  {
    cause: 'A paused cluster is deleted',
    by: {
      from: 'a cluster',
      begin: (fairway) => fairway.patch(clusters, 'demo', { metadata: { annotations: { [PAUSED_ANNOTATION]: '' } } }),
      request: (fairway) => fairway.delete(clusters, 'demo'),
    },
    kind: 'Cluster',
    phase: 'Ready',
    condition: 'Paused',
    reason: 'Paused',
    message: 'it has the annotation fairway.dev/paused; Fairway does not delete it until that is removed',
    event: {
      kind: 'Cluster',
      reason: 'Paused',
      message: 'it has the annotation fairway.dev/paused; Fairway does not delete it until that is removed',
    },
  },
  deletion(
    'A volume of a deleted cluster is attached to another server',
    attachElsewhere,
    'VolumeInUse',
    'volume pvc-data ({id}) is attached to server other ({id}), which does not belong to the cluster: openstack server remove volume {id} {id}',
  ),
  deletion(
    'A volume of a deleted cluster has a snapshot of the tenant',
    snapshotVolume,
    'SnapshotsExist',
    'volume pvc-data ({id}) has snapshot mine ({id}), which Fairway did not create: openstack volume snapshot delete {id}',
  ),
  deletion(
    'Cinder fails to delete a volume of a deleted cluster',
    deletedAfterSetup(makeVolume, (fairway) => {
      fairway.cloud.faults.add({ times: null, action: { kind: 'volumeError', step: 'delete' } });
    }),
    'DeletionFailed',
    'volume pvc-data ({id}) is error_deleting: Cinder could not delete it; the cloud operator must check the log of Cinder and reset its state or force its deletion; Fairway retries',
  ),
  deletion(
    'Manila fails to delete a share of a deleted cluster',
    deletedAfterSetup(makeShare, (fairway) => {
      fairway.cloud.faults.add({ times: null, action: { kind: 'shareError', step: 'delete' } });
    }),
    'DeletionFailed',
    'share pvc-files ({id}) is error_deleting: Manila could not delete it; the cloud operator must check the log of Manila and reset its state or force its deletion; Fairway retries',
  ),
  deletion(
    'Octavia refuses to delete a load balancer of a deleted cluster',
    deletedAfterSetup(makeLoadBalancer, (fairway) => {
      const message = 'Load Balancer is immutable and cannot be updated.';
      const action = { kind: 'answer', status: 409, message } as const;
      fairway.cloud.faults.add({ service: 'load-balancer', method: 'DELETE', times: null, action });
    }),
    'CloudBusy',
    "load balancer kube-web ({id}) is immutable: Octavia must finish changing it before it can be deleted; if this persists, the cloud operator must check octavia-worker and set its provisioning_status to ERROR in Octavia's database; Fairway then deletes it",
  ),
  deletion(
    'Octavia does not finish changing a load balancer of a deleted cluster',
    deletedAfterSetup(nothing, makeLoadBalancer, slow('loadBalancerUpdate', 'loadBalancerCreate')),
    'CloudBusy',
    "load balancer kube-web ({id}) is PENDING_CREATE: Octavia must finish changing it before it can be deleted; if this persists, the cloud operator must check octavia-worker and set its provisioning_status to ERROR in Octavia's database; Fairway then deletes it",
    { afterMs: 10 * MINUTE_MS },
  ),
  deletion(
    'A port of the tenant is in the network of a deleted cluster',
    deletedAfterSetup(makePort),
    'ResourceInUse',
    'network fairway-demo ({id}) is in use by port theirs ({id}) of compute:nova, which the cluster did not create: openstack port delete {id}, or delete its owner',
  ),
  deletion(
    'A floating IP of the tenant needs the router of a deleted cluster',
    deletedAfterSetup(assignFloatingIp),
    'ResourceInUse',
    'router fairway-demo ({id}) is used by floating IP 203.0.112.11 ({id}, port {id}), which the cluster did not create: openstack floating ip unset --port {id}',
  ),
  deletion(
    'A port of the tenant has the security group of a deleted cluster',
    deletedAfterSetup(useSecurityGroup),
    'ResourceInUse',
    'security group fairway-demo ({id}) is used by port theirs ({id}) without a device: openstack port unset --security-group {id} {id}',
  ),
];
