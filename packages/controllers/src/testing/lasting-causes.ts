import type { ConditionReason } from '@fairway/api/conditions';
import { identityOf } from '@fairway/api/identity';
import { clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import type { FaultInput } from '@fairway/simulator/http/faults';
import type { TestFairway, TestFairwayOptions } from './test-fairway.ts';

/** A lasting failure, and how to end it. */
export interface LastingCause {
  readonly cause: string;
  /** The initial state: no cluster, or one with or without a node, or one with a node in an existing network. */
  readonly from: 'nothing' | 'a cluster' | 'an empty cluster' | 'a given network' | 'an empty given network';
  /** Whether servers become nodes; true by default. */
  readonly nodesJoin?: false;
  readonly begin: (fairway: TestFairway, faults: SwitchedFaults) => unknown;
  /** What a user requests during the failure; more nodes by default. */
  readonly request?: (fairway: TestFairway) => Promise<unknown>;
  readonly end: (fairway: TestFairway, faults: SwitchedFaults) => unknown;
  /** The object and condition that report it. */
  readonly kind: typeof clusters | typeof nodePools | typeof machines;
  readonly reason: ConditionReason;
}

/** Faults of API servers that a test switches on and off. */
export class SwitchedFaults {
  /** Whether the creation of Machines is rejected. */
  refusesMachines = false;
  /** Whether tenants' API servers reject all writes. */
  refusesTenantWrites = false;
  /** Whether a PodDisruptionBudget blocks the eviction of all pods. */
  blocksEvictions = false;
  /** Writes to Fairway's own API except to CloudProfiles: quota usage changes regardless of clusters. */
  writes = 0;

  /** Watched paths on tenants' API servers, once for each started watch. */
  readonly #watches: string[] = [];

  /** How many watches of this path have been started on tenants' API servers. */
  watchCount(path: string): number {
    return this.#watches.filter((each) => each.startsWith(`${path}?`)).length;
  }

  get options(): Pick<TestFairwayOptions, 'apiFaults' | 'tenantFaults'> {
    return {
      apiFaults: ({ method, path }) => {
        if (method !== 'GET' && !/\/cloudprofiles\b/.test(path)) this.writes++;
        const isRefused = this.refusesMachines && method === 'POST' && /\/machines(\?|$)/.test(path);
        return isRefused ? { kind: 'answer', status: 403 } : undefined;
      },
      tenantFaults: ({ method, path }) => {
        if (/[?&]watch=(1|true)\b/.test(path)) this.#watches.push(path);
        if (this.blocksEvictions && /\/eviction(\?|$)/.test(path)) return { kind: 'answer', status: 429 };
        return this.refusesTenantWrites && method !== 'GET' ? { kind: 'answer', status: 403 } : undefined;
      },
    };
  }
}

type QuotaLimits = Readonly<Record<string, number>>;

/** A quota that is only enough for the existing node. */
function quota(name: string, limits: QuotaLimits, sufficientLimits: QuotaLimits): LastingCause {
  return {
    cause: `a quota of ${name}`,
    from: 'a cluster',
    begin: ({ cloud }) => cloud.setQuota('demo', limits),
    end: ({ cloud }) => cloud.setQuota('demo', sufficientLimits),
    kind: nodePools,
    reason: 'QuotaExceeded',
  };
}

/** A quota of zero for a resource that a cluster needs before it has nodes. */
function quotaOfNetwork(name: string): LastingCause {
  return {
    cause: `a quota of ${name}`,
    from: 'nothing',
    begin: ({ cloud }) => cloud.setQuota('demo', { [name]: 0 }),
    end: ({ cloud }) => cloud.setQuota('demo', { [name]: 1_000 }),
    kind: clusters,
    reason: 'QuotaExceeded',
  };
}

function fault(
  cause: string,
  from: LastingCause['from'],
  input: FaultInput,
  reason: ConditionReason,
  kind: LastingCause['kind'] = from === 'nothing' ? clusters : nodePools,
): LastingCause {
  return {
    cause,
    from,
    begin: ({ cloud }) => cloud.faults.add({ ...input, times: null }),
    end: ({ cloud }) => cloud.faults.clear(),
    kind,
    reason,
  };
}

const SERVERS = { service: 'compute', method: 'POST', path: '/servers$' } as const;
const CONSOLE = { service: 'compute', method: 'POST', path: '/action$' } as const;
const NETWORKS = { service: 'network', method: 'POST', path: '/networks$' } as const;
const responseFault = (status: number, retryAfterSeconds?: number) => ({
  kind: 'answer' as const,
  status,
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
});

/** The cluster's network, and a Neutron client. */
export async function networkOf(fairway: TestFairway) {
  const [cluster] = (await fairway.client.resource(clusters).list()).items;
  return { network: fairway.process.project.client.network, status: cluster?.status?.network ?? {} };
}

/** Lets all servers join as nodes. */
async function joinAll(fairway: TestFairway): Promise<void> {
  for (const { metadata, spec } of await fairway.machines()) {
    const cluster = await fairway.clusterOf({ spec } as Machine);
    await fairway.runtime.join(identityOf(cluster), metadata.name ?? '');
  }
}

const PORTS = { service: 'network', method: 'POST', path: '/ports$' } as const;

const withFloatingIps = { floatingIPs: { enabled: true } };

export const LASTING_CAUSES: readonly LastingCause[] = [
  quota('instances', { instances: 1 }, { instances: 500 }),
  quota('cores', { cores: 2 }, { cores: 4_000 }),
  quota('ram', { ram: 8 * 1024 }, { ram: 4_000_000 }),
  quota('ports', { port: 2 }, { port: 2_000 }),
  {
    ...quota('floating IPs', { floatingip: 0 }, { floatingip: 500 }),
    kind: machines,
    request: (fairway) => fairway.patch(nodePools, 'general', { spec: withFloatingIps }),
  },
  {
    ...quota('server groups', { server_groups: 0 }, { server_groups: 500 }),
    request: (fairway) => fairway.createPool({ replicas: 3, antiAffinity: true }, 'apart'),
  },
  quotaOfNetwork('network'),
  quotaOfNetwork('subnet'),
  quotaOfNetwork('router'),
  quotaOfNetwork('security_group'),
  quotaOfNetwork('security_group_rule'),
  fault('400 to servers', 'a cluster', { ...SERVERS, action: responseFault(400) }, 'ConfigurationInvalid'),
  fault('403 to servers', 'a cluster', { ...SERVERS, action: responseFault(403) }, 'PermissionDenied'),
  fault('404 to servers', 'a cluster', { ...SERVERS, action: responseFault(404) }, 'ConfigurationInvalid'),
  fault('409 to servers', 'a cluster', { ...SERVERS, action: responseFault(409) }, 'ResourceInUse'),
  fault('429 to servers', 'a cluster', { ...SERVERS, action: responseFault(429, 5) }, 'RateLimited'),
  fault('500 to servers', 'a cluster', { ...SERVERS, action: responseFault(500) }, 'CloudUnavailable'),
  fault('503 to servers', 'a cluster', { ...SERVERS, action: responseFault(503, 1) }, 'CloudUnavailable'),
  {
    ...fault('timeouts of servers', 'a cluster', { ...SERVERS, action: responseFault(504) }, 'CloudUnavailable'),
    begin: ({ cloud }) => {
      cloud.faults.add({ ...SERVERS, times: null, action: { kind: 'delay', delayMs: 90_000 } });
      cloud.faults.add({ ...SERVERS, times: null, action: responseFault(504) });
    },
  },
  fault('broken connections', 'a cluster', { ...SERVERS, action: { kind: 'drop' } }, 'CloudUnavailable'),
  fault('no valid host', 'a cluster', { action: { kind: 'outOfStock', flavor: 'b3-8' } }, 'FlavorOutOfStock'),
  fault('servers that fail', 'a cluster', { action: { kind: 'serverError' } }, 'ServerFailed'),
  {
    cause: 'an unknown security group',
    from: 'a cluster',
    begin: () => undefined,
    request: (fairway) => fairway.createPool({ replicas: 3, securityGroups: ['web'] }, 'odd'),
    end: (fairway) => fairway.process.project.client.network.securityGroups.create({ name: 'web' }),
    kind: nodePools,
    reason: 'SecurityGroupNotFound',
  },
  {
    cause: 'an unknown flavor',
    from: 'a cluster',
    begin: () => undefined,
    request: (fairway) => fairway.createPool({ replicas: 3, flavor: 'b3-9' }, 'odd'),
    end: (fairway) => fairway.delete(nodePools, 'odd'),
    kind: nodePools,
    reason: 'FlavorNotFound',
  },
  {
    cause: 'an unknown image',
    from: 'a cluster',
    begin: () => undefined,
    request: (fairway) => fairway.patch(nodePools, 'general', { spec: { replicas: 4, image: 'none such' } }),
    end: (fairway) => fairway.patch(nodePools, 'general', { spec: { image: 'Ubuntu 24.04' } }),
    kind: nodePools,
    reason: 'ImageNotFound',
  },
  {
    cause: 'additional networks that do not exist',
    from: 'a cluster',
    begin: () => undefined,
    request: (fairway) => {
      const networks = [{ networkID: '11111111-1111-4111-8111-111111111111' }];
      return fairway.patch(nodePools, 'general', { spec: { replicas: 4, networks } });
    },
    end: (fairway) => fairway.patch(nodePools, 'general', { spec: { networks: null } }),
    kind: nodePools,
    reason: 'NetworkNotFound',
  },
  fault('403 to ports', 'a given network', { ...PORTS, action: responseFault(403) }, 'PermissionDenied'),
  fault('503 to ports', 'a given network', { ...PORTS, action: responseFault(503) }, 'CloudUnavailable'),
  { ...quota('own ports', { port: 1 }, { port: 2_000 }), from: 'a given network' },
  {
    cause: 'a selected network that lost its subnet',
    from: 'an empty given network',
    begin: async (fairway) => {
      const { network, status } = await networkOf(fairway);
      await network.subnets.delete(status.subnetID ?? '');
    },
    end: async (fairway) => {
      const { network, status } = await networkOf(fairway);
      const subnet = { network_id: status.networkID ?? '', ip_version: 4, cidr: '10.77.0.0/24' } as const;
      await network.subnets.create({ name: 'theirs', ...subnet });
    },
    kind: clusters,
    reason: 'SubnetNotFound',
  },
  {
    cause: 'servers that do not join, whose console fails',
    from: 'nothing',
    nodesJoin: false,
    begin: ({ cloud }) => cloud.faults.add({ ...CONSOLE, times: null, action: responseFault(500) }),
    end: async (fairway) => {
      fairway.cloud.faults.clear();
      // This includes servers that are reinstalled or replaced.
      fairway.joinsNodes = true;
      await joinAll(fairway);
    },
    kind: machines,
    reason: 'NodeStartupTimeout',
  },
  fault('400 to networks', 'nothing', { ...NETWORKS, action: responseFault(400) }, 'ConfigurationInvalid'),
  fault('403 to networks', 'nothing', { ...NETWORKS, action: responseFault(403) }, 'PermissionDenied'),
  fault('409 to networks', 'nothing', { ...NETWORKS, action: responseFault(409) }, 'ResourceInUse'),
  fault('500 to networks', 'nothing', { ...NETWORKS, action: responseFault(500) }, 'CloudUnavailable'),
  fault('503 of Neutron', 'nothing', { service: 'network', action: responseFault(503) }, 'CloudUnavailable'),
  fault('503 of Nova', 'nothing', { service: 'compute', action: responseFault(503) }, 'CloudUnavailable'),
  fault('503 of everything', 'nothing', { action: responseFault(503) }, 'CloudUnavailable'),
  fault(
    'timeouts of Neutron',
    'nothing',
    { service: 'network', action: { kind: 'delay', delayMs: 90_000 } },
    'CloudUnavailable',
  ),
  {
    cause: 'a refused login',
    from: 'nothing',
    begin: ({ cloud }) => {
      cloud.faults.add({ service: 'identity', method: 'POST', times: null, action: responseFault(401) });
      // A token already exists.
      cloud.faults.add({ service: 'network', times: null, action: responseFault(401) });
    },
    end: ({ cloud }) => cloud.faults.clear(),
    kind: clusters,
    reason: 'CredentialInvalid',
  },
  {
    cause: 'a full disk of the control plane',
    from: 'a cluster',
    begin: ({ runtime }) => {
      runtime.failure = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    },
    request: (fairway) =>
      fairway.patch(clusters, 'demo', { spec: { apiServer: { admissionPlugins: { enabled: [] } } } }),
    end: ({ runtime }) => {
      runtime.failure = undefined;
    },
    kind: clusters,
    reason: 'ControlPlaneFailed',
  },
  {
    cause: 'a tenant API that refuses',
    from: 'a cluster',
    begin: (_, faults) => {
      faults.refusesTenantWrites = true;
    },
    end: (_, faults) => {
      faults.refusesTenantWrites = false;
    },
    kind: nodePools,
    reason: 'ControlPlaneFailed',
  },
  {
    cause: 'Machines that are refused',
    from: 'a cluster',
    begin: (_, faults) => {
      faults.refusesMachines = true;
    },
    end: (_, faults) => {
      faults.refusesMachines = false;
    },
    kind: nodePools,
    reason: 'InternalError',
  },
];
