import type { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { PAUSED_ANNOTATION } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import type { FaultInput } from '@fairway/simulator/http/faults';
import { tenantNodes } from '@fairway/tenancy/connection/node';
import type { SwitchedFaults } from './lasting-causes.ts';
import type { TestFairway } from './test-fairway.ts';

/** What people are told of one cause. In messages `{host}`, `{machine}`, `{time}`, `{url}`, `{versions}` and `{id}` stand for what differs. */
export interface Cause {
  /** What is the matter, for people. */
  readonly cause: string;
  /** How it comes about: a name in `LASTING_CAUSES`, or steps. */
  readonly by: string | Steps;
  /** How long it takes until it is told; 20 s by default. */
  readonly afterMs?: number;
  /** Where it is told. */
  readonly kind: 'Cluster' | 'NodePool' | 'Machine' | 'CloudCredential';
  readonly phase: string | undefined;
  /** Ready by default. */
  readonly condition?: ConditionType;
  readonly reason: ConditionReason;
  readonly message: string;
  /** An Event about it. */
  readonly event?: {
    readonly kind: 'Cluster' | 'Machine' | 'CloudCredential';
    readonly reason: string;
    readonly message: string;
  };
}

export interface Steps {
  /** A cluster has one node, which is Ready. */
  readonly from: 'nothing' | 'a cluster';
  readonly nodesJoin?: false;
  readonly begin: (fairway: TestFairway, faults: SwitchedFaults) => unknown;
  /** What is asked for then; without it, from nothing, a cluster and a pool. */
  readonly ask?: (fairway: TestFairway) => unknown;
}

const MINUTE_MS = 60_000;

function fault(...inputs: readonly FaultInput[]): Steps['begin'] {
  return ({ cloud }) => {
    for (const input of inputs) cloud.faults.add({ ...input, times: null });
  };
}

/** Makes the node of the only machine what a kubelet would say of it. */
async function failNode(fairway: TestFairway): Promise<void> {
  const [machine] = await fairway.machines();
  const [cluster] = (await fairway.client.resource(clusters).list()).items;
  const nodes = fairway.runtime.client(cluster ? identityOf(cluster) : '').resource(tenantNodes);
  const condition = { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: 'container runtime is down' };
  const value = { status: { conditions: [condition] } };
  await nodes.patch(machine?.metadata.name ?? '', { type: 'merge', value }, { subresource: 'status' });
}

async function deleteServer(fairway: TestFairway): Promise<void> {
  const [machine] = await fairway.machines();
  await fairway.process.project.client.compute.servers.delete(machine?.status?.serverID ?? '');
}

/** A cluster with a CloudCredential `mine`, which ends in so many milliseconds. */
function withCredential(endsInMs?: number): Pick<Steps, 'from' | 'begin' | 'ask'> {
  const ends = endsInMs === undefined ? {} : { endsInMs };
  const ask = async (fairway: TestFairway) => {
    await fairway.createCredential(ends);
    await fairway.createCluster({ credentialName: 'mine' });
  };
  return { from: 'nothing', begin: ask, ask: () => undefined };
}

/** Takes the credential back in Keystone, once a cluster uses it. */
const revoked: Pick<Steps, 'from' | 'begin' | 'ask'> = {
  from: 'nothing',
  begin: async (fairway) => {
    const id = await fairway.createCredential();
    await fairway.createCluster({ credentialName: 'mine' });
    await fairway.until(cloudCredentials, ([credential]) => credential?.status?.credentialID !== undefined);
    await fairway.process.project.client.identity.deleteApplicationCredential(id);
  },
  ask: () => undefined,
};

const RENEW =
  'make another ("fairway credential create") and set spec.credentialName of the clusters that use this one, or replace Secret login';

export const CAUSES: readonly Cause[] = [
  {
    cause: 'The quota of instances is used up',
    by: 'a quota of instances',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'QuotaExceeded',
    message:
      '1/4 nodes are ready; {machine}: compute: quota exceeded for instances: 1 of 1 used, 1 more wanted; free something or ask for a larger quota, and Fairway continues by itself',
  },
  {
    cause: 'The quota of cores is used up',
    by: 'a quota of cores',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'QuotaExceeded',
    message:
      '1/4 nodes are ready; {machine}: compute: quota exceeded for cores: 2 of 2 used, 2 more wanted; free something or ask for a larger quota, and Fairway continues by itself',
  },
  {
    cause: 'The quota of memory is used up',
    by: 'a quota of ram',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'QuotaExceeded',
    message:
      '1/4 nodes are ready; {machine}: compute: quota exceeded for memory in MiB: 8192 of 8192 used, 8192 more wanted; free something or ask for a larger quota, and Fairway continues by itself',
  },
  {
    cause: 'The quota of ports is used up',
    by: 'a quota of ports',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'QuotaExceeded',
    message:
      '1/4 nodes are ready; {machine}: compute: quota exceeded for ports: 2 of 2 used, 1 more wanted; free something or ask for a larger quota, and Fairway continues by itself',
  },
  {
    cause: 'The quota of floating IPs is used up',
    by: 'a quota of floating IPs',
    kind: 'Machine',
    phase: 'Ready',
    condition: 'ServerReady',
    reason: 'QuotaExceeded',
    message:
      'network: quota exceeded for floating IPs: 0 of 0 used, 1 more wanted; free something or ask for a larger quota, and Fairway continues by itself',
  },
  {
    cause: 'The quota of server groups is used up',
    by: 'a quota of server groups',
    kind: 'NodePool',
    phase: 'Failed',
    reason: 'QuotaExceeded',
    message:
      'compute: quota exceeded for server groups: 0 of 0 used, 1 more wanted; free something or ask for a larger quota, and Fairway continues by itself',
  },
  {
    cause: 'The quota of networks is used up',
    by: 'a quota of network',
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'QuotaExceeded',
    message:
      'network: quota exceeded for networks: 0 of 0 used, 1 more wanted; free something or ask for a larger quota, and Fairway continues by itself',
  },
  {
    cause: 'The quota of routers is used up',
    by: 'a quota of router',
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'QuotaExceeded',
    message:
      'network: quota exceeded for routers: 0 of 0 used, 1 more wanted; free something or ask for a larger quota, and Fairway continues by itself',
  },
  {
    cause: 'The quota of security group rules is used up',
    by: 'a quota of security_group_rule',
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'QuotaExceeded',
    message:
      'network: quota exceeded for security group rules: 6 of 0 used, 4 more wanted; free something or ask for a larger quota, and Fairway continues by itself',
  },
  {
    cause: 'A flavor is out of stock',
    by: 'no valid host',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'FlavorOutOfStock',
    message:
      '1/4 nodes are ready; {machine}: the cloud has no room for the server: No valid host was found. There are not enough hosts available.; another one will be created after a delay. Another flavor or zone may have room',
  },
  {
    cause: 'A server ends in ERROR',
    by: 'servers that fail',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'ServerFailed',
    message:
      '1/4 nodes are ready; {machine}: the server failed: Build of instance aborted: Failed to allocate the network(s), not rescheduling.; another one will be created after a delay',
  },
  {
    cause: 'A flavor is gone',
    by: 'an unknown flavor',
    kind: 'NodePool',
    phase: 'Failed',
    reason: 'FlavorNotFound',
    message:
      '0/3 nodes are ready; {machine}: the cloud no longer has flavor b3-9; create another pool with one of `openstack flavor list`',
  },
  {
    cause: 'An image is gone',
    by: 'an unknown image',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'ImageNotFound',
    message: 'spec.image: the cloud has no active image none such',
  },
  {
    cause: 'A network of the tenant is gone',
    by: {
      from: 'nothing',
      begin: (fairway) =>
        fairway.createCluster({
          network: {
            networkID: '11111111-1111-4111-8111-111111111111',
            subnetID: '22222222-2222-4222-8222-222222222222',
          },
        }),
      ask: () => undefined,
    },
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'NetworkNotFound',
    message:
      'spec.network.networkID: the project has no network {id}; choose one of `openstack network list`, or leave the field empty to have Fairway create one',
  },
  {
    cause: 'The credential is wrong, expired or revoked',
    by: 'a refused login',
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'CredentialInvalid',
    message:
      'identity: Injected by the simulator.; the credential of this project is wrong, expired or revoked: renew it',
  },
  {
    cause: 'A credential expires soon',
    by: withCredential(7 * 24 * 60 * MINUTE_MS),
    kind: 'CloudCredential',
    phase: 'Bound',
    condition: 'ExpiresSoon',
    reason: 'CredentialExpiresSoon',
    message: `it expires within 7 days, at {time}; ${RENEW}`,
    event: {
      kind: 'CloudCredential',
      reason: 'CredentialExpiresSoon',
      message: `it expires within 7 days, at {time}; ${RENEW}`,
    },
  },
  {
    cause: 'The credential of a cluster expires soon',
    by: withCredential(24 * 60 * MINUTE_MS),
    kind: 'Cluster',
    phase: 'Ready',
    condition: 'CredentialExpiresSoon',
    reason: 'CredentialExpiresSoon',
    message: `CloudCredential mine: it expires within a day, at {time}; ${RENEW}`,
    event: {
      kind: 'Cluster',
      reason: 'CredentialExpiresSoon',
      message: `CloudCredential mine: it expires within a day, at {time}; ${RENEW}`,
    },
  },
  {
    cause: 'A credential has expired',
    by: withCredential(MINUTE_MS),
    afterMs: 2 * MINUTE_MS,
    kind: 'CloudCredential',
    phase: 'Bound',
    reason: 'CredentialInvalid',
    message: `it expired at {time}; ${RENEW}`,
    event: { kind: 'CloudCredential', reason: 'CredentialInvalid', message: `it expired at {time}; ${RENEW}` },
  },
  {
    cause: 'The credential of a cluster has expired',
    by: withCredential(MINUTE_MS),
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Degraded',
    reason: 'CredentialInvalid',
    message: `CloudCredential mine cannot be used: it expired at {time}; ${RENEW}`,
    event: {
      kind: 'Cluster',
      reason: 'Degraded',
      message: `CloudCredential mine cannot be used: it expired at {time}; ${RENEW}`,
    },
  },
  {
    cause: 'A credential is revoked',
    by: revoked,
    afterMs: 2 * MINUTE_MS,
    kind: 'CloudCredential',
    phase: 'Bound',
    reason: 'CredentialInvalid',
    message: `it was revoked: Keystone has no application credential {id} any more; ${RENEW}`,
    event: {
      kind: 'CloudCredential',
      reason: 'CredentialInvalid',
      message: `it was revoked: Keystone has no application credential {id} any more; ${RENEW}`,
    },
  },
  {
    cause: 'The credential may not create networks',
    by: '403 to networks',
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'PermissionDenied',
    message: "network: Injected by the simulator.; Fairway's credential needs the role member in the project",
  },
  {
    cause: 'The credential may not create servers',
    by: '403 to servers',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'PermissionDenied',
    message:
      "1/4 nodes are ready; {machine}: compute: Injected by the simulator.; Fairway's credential needs the role member in the project",
  },
  {
    cause: 'A CloudCredential is gone',
    by: {
      from: 'nothing',
      begin: (fairway) => fairway.createCluster({ credentialName: 'lost' }),
      ask: () => undefined,
    },
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'CredentialInvalid',
    message:
      'spec.credentialName: namespace team has no usable CloudCredential lost; create it, or name another of the same project',
  },
  {
    cause: 'Keystone is away',
    by: {
      from: 'nothing',
      begin: fault(
        { service: 'identity', action: { kind: 'drop' } },
        { service: 'network', action: { kind: 'answer', status: 401 } },
      ),
    },
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Provisioning',
    reason: 'CloudUnavailable',
    message:
      'identity: Keystone at {host} cannot be reached while logging in; Fairway tries again by itself, every five minutes at the latest (the connection breaks)',
  },
  {
    cause: 'Neutron is away',
    by: {
      from: 'nothing',
      begin: fault({ service: 'network', action: { kind: 'answer', status: 503, message: 'down for maintenance' } }),
    },
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Provisioning',
    reason: 'CloudUnavailable',
    message:
      'network: Neutron at {host} answers with status 503 while reading what the project has; Fairway tries again by itself, every five minutes at the latest (down for maintenance)',
  },
  {
    cause: 'Nova answers 500',
    by: '500 to servers',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'CloudUnavailable',
    message:
      '1/4 nodes are ready; {machine}: compute: Nova at {host} answers with status 500 while creating servers; Fairway tries again by itself, every five minutes at the latest (Unexpected API Error. Please report this at http://bugs.launchpad.net/nova/ and attach the Nova API log if possible.)',
  },
  {
    cause: 'Nova limits rates',
    by: '429 to servers',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'RateLimited',
    message:
      '1/4 nodes are ready; {machine}: compute: Nova limits how often it may be asked; Fairway tries again by itself, every five minutes at the latest (Injected by the simulator.)',
  },
  {
    cause: 'Connections to Nova break',
    by: 'broken connections',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'CloudUnavailable',
    message:
      '1/4 nodes are ready; {machine}: compute: Nova at {host} cannot be reached while creating servers; Fairway tries again by itself, every five minutes at the latest (the connection breaks)',
  },
  {
    cause: 'The cloud is away from a healthy cluster',
    by: { from: 'a cluster', begin: fault({ action: { kind: 'drop' } }), ask: () => undefined },
    afterMs: 10 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Ready',
    condition: 'CloudReachable',
    reason: 'CloudUnavailable',
    message:
      'compute: Nova at {host} cannot be reached while reading what the project has; Fairway tries again by itself, every five minutes at the latest (the connection breaks); since {time}',
  },
  {
    cause: 'A server vanished',
    by: { from: 'a cluster', begin: deleteServer, ask: () => undefined },
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Ready',
    reason: 'AsExpected',
    message: '',
    event: { kind: 'Machine', reason: 'ServerVanished', message: 'server {id} is gone; the machine is replaced' },
  },
  {
    cause: 'A server has not joined',
    by: { from: 'nothing', nodesJoin: false, begin: () => undefined },
    afterMs: 15 * MINUTE_MS,
    kind: 'Machine',
    phase: 'Installing',
    reason: 'NodeStartupTimeout',
    message:
      "the server has not joined the cluster as a node for 10 min; it is ACTIVE since {time}. Look at its network (does it reach {url}, and the Internet?), its image and its cloud-init; its console ends: [    0.000000] Linux version 6.8.0-cloud (simulated) | cloud-init: running 'init' at {time}. | cloud-init: user data present | {machine} login:",
    event: {
      kind: 'Machine',
      reason: 'NodeStartupTimeout',
      message:
        "the server has not joined the cluster as a node for 10 min; it is ACTIVE since {time}. Look at its network (does it reach {url}, and the Internet?), its image and its cloud-init; its console ends: [    0.000000] Linux version 6.8.0-cloud (simulated) | cloud-init: running 'init' at {time}. | cloud-init: user data present | {machine} login:",
    },
  },
  {
    cause: 'A first node has not joined: its pool',
    by: { from: 'nothing', nodesJoin: false, begin: () => undefined },
    afterMs: 15 * MINUTE_MS,
    kind: 'NodePool',
    phase: 'Degraded',
    reason: 'NodeStartupTimeout',
    message:
      "0/1 nodes are ready; {machine}: the server has not joined the cluster as a node for 10 min; it is ACTIVE since {time}. Look at its network (does it reach {url}, and the Internet?), its image and its cloud-init; its console ends: [    0.000000] Linux version 6.8.0-cloud (simulated) | cloud-init: running 'init' at {time}. | cloud-init: user data present | {machine} login:",
  },
  {
    cause: 'A first node has not joined: its cluster',
    by: { from: 'nothing', nodesJoin: false, begin: () => undefined },
    afterMs: 15 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Degraded',
    reason: 'NodeStartupTimeout',
    message:
      "0/1 nodes are ready; pool general: 0/1 nodes are ready; {machine}: the server has not joined the cluster as a node for 10 min; it is ACTIVE since {time}. Look at its network (does it reach {url}, and the Internet?), its image and its cloud-init; its console ends: [    0.000000] Linux version 6.8.0-cloud (simulated) | cloud-init: running 'init' at {time}. | cloud-init: user data present | {machine} login:",
    event: {
      kind: 'Cluster',
      reason: 'Degraded',
      message:
        "0/1 nodes are ready; pool general: 0/1 nodes are ready; {machine}: the server has not joined the cluster as a node for 10 min; it is ACTIVE since {time}. Look at its network (does it reach {url}, and the Internet?), its image and its cloud-init; its console ends: [    0.000000] Linux version 6.8.0-cloud (simulated) | cloud-init: running 'init' at {time}. | cloud-init: user data present | {machine} login:",
    },
  },
  {
    cause: 'A node is not ready',
    by: { from: 'a cluster', begin: failNode, ask: () => undefined },
    kind: 'Machine',
    phase: 'NotReady',
    reason: 'NodeNotReady',
    message: 'the node is not ready: container runtime is down',
    event: { kind: 'Machine', reason: 'NotReady', message: 'the node is not ready: container runtime is down' },
  },
  {
    cause: 'A node is not ready: its pool',
    by: { from: 'a cluster', begin: failNode, ask: () => undefined },
    kind: 'NodePool',
    phase: 'Degraded',
    reason: 'NodeNotReady',
    message: '0/1 nodes are ready; {machine}: the node is not ready: container runtime is down',
  },
  {
    cause: 'The control plane has no disk',
    by: 'a full disk of the control plane',
    kind: 'Cluster',
    phase: 'Degraded',
    reason: 'ControlPlaneFailed',
    message:
      'the control plane cannot be kept up: there is no space left on its disk; free some, or give it a larger one',
  },
  {
    cause: "The cluster's API server refuses Fairway",
    by: 'a tenant API that refuses',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'ControlPlaneFailed',
    message: "1/4 nodes are ready; {machine}: the cluster's API server rejects Fairway's request: HTTP 403",
  },
  {
    cause: 'The plan is gone',
    by: { from: 'nothing', begin: (fairway) => fairway.createCluster({ plan: 'none-such' }), ask: () => undefined },
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'PlanNotFound',
    message: 'spec.plan: Plan none-such no longer exists; the operator has to restore it',
  },
  {
    cause: 'The version is not offered',
    by: { from: 'nothing', begin: (fairway) => fairway.createCluster({ version: '1.99' }), ask: () => undefined },
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'VersionNotOffered',
    message: 'spec.version: is not in the catalogue; choose one of {versions}',
  },
  {
    cause: 'The cluster of a pool is gone',
    by: { from: 'nothing', begin: (fairway) => fairway.createPool({ clusterName: 'lost' }), ask: () => undefined },
    kind: 'NodePool',
    phase: 'Failed',
    reason: 'ClusterNotFound',
    message: 'spec.clusterName: there is no cluster lost in namespace team',
  },
  {
    cause: 'A cluster is paused',
    by: {
      from: 'a cluster',
      begin: (fairway) =>
        fairway.patch(clusters, 'demo', { metadata: { annotations: { [PAUSED_ANNOTATION]: 'true' } } }),
      ask: () => undefined,
    },
    kind: 'Cluster',
    phase: 'Ready',
    condition: 'Paused',
    reason: 'Paused',
    message: 'it has the annotation fairway.dev/paused; Fairway does not reconcile it until that is removed',
  },
  {
    cause: "Fairway's own API refuses Machines",
    by: 'Machines that are refused',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'InternalError',
    message: "Fairway's own API refuses it: HTTP 403",
  },
];
