import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { ignoreNotFound, isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { CallOptions } from '@fairway/openstack/service-api';
import type { SecurityGroup } from '@fairway/openstack/types/security-group';
import { type NetworkRole, ownerDescription } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { gatewayChange } from './gateway-change.ts';
import { detachAll, detachClusterRouter } from './network-deletion.ts';
import type { DesiredNetwork, NetworkStep } from './network-state.ts';

type CacheName = 'networks' | 'subnets' | 'routers' | 'securityGroups';

/** What a step depends on or creates. */
const CACHES_BY_STEP: Readonly<Record<Exclude<NetworkStep['kind'], 'deleteExtra'>, readonly CacheName[]>> = {
  createNetwork: ['networks'],
  enablePortSecurity: ['networks'],
  createSubnet: ['networks', 'subnets'],
  createRouter: ['networks', 'routers'],
  updateSubnet: ['subnets'],
  setGateway: ['subnets'],
  setExternalNetwork: ['networks', 'routers'],
  attachRouter: ['routers', 'subnets'],
  detachRouter: ['routers', 'subnets'],
  createSecurityGroup: ['securityGroups'],
  createRules: ['securityGroups'],
  deleteRule: ['securityGroups'],
};

/** Makes the next attempt start by listing the cloud's resources, after an unknown outcome, a conflict or a 404. */
export function invalidateAfterFailure(cloud: ProjectCloud, step: NetworkStep, error: unknown): void {
  if (!isOpenStackError(error)) return;
  if (error.outcome !== 'unknown' && error.kind !== 'conflict' && error.kind !== 'notFound') return;
  const names: readonly CacheName[] =
    step.kind === 'deleteExtra' ? ['networks', 'subnets', 'routers', 'securityGroups'] : CACHES_BY_STEP[step.kind];
  for (const name of names) cloud.cache[name].invalidate();
}

/** The subject of a step: two steps with the same subject never run concurrently, because the ledger records each as a whole. */
export function subjectOf(step: NetworkStep): string {
  switch (step.kind) {
    case 'createNetwork':
    case 'createSubnet':
    case 'createRouter':
    case 'createSecurityGroup':
      return step.kind;
    case 'enablePortSecurity':
      return `network ${step.network.id}`;
    case 'updateSubnet':
    case 'setGateway':
      return `subnet ${step.subnet.id}`;
    case 'attachRouter':
    case 'detachRouter':
      return `attachments of ${step.subnet.network_id}`;
    case 'setExternalNetwork':
      return `router ${step.router.id}`;
    case 'createRules':
    case 'deleteRule':
      return `security group ${step.group.id}`;
    case 'deleteExtra':
      return `${step.type} ${step.id}`;
  }
}

/** Executes one step. Rejects with the OpenStackError of its call, or with a ProblemError. */
export async function perform(
  step: NetworkStep,
  cloud: ProjectCloud,
  cluster: Cluster,
  desired: DesiredNetwork,
  signal: AbortSignal,
): Promise<void> {
  const options = { signal };
  const { client, ledgers } = cloud;
  const { network } = client;
  const name = `fairway-${cluster.metadata.name}`;
  const mark = (role: NetworkRole) => ownerDescription(identityOf(cluster), role);
  const recordRules = (group: SecurityGroup, rules: SecurityGroup['security_group_rules']) => {
    const changed = { ...group, security_group_rules: rules };
    ledgers.securityGroups.recordWritten(mark('node-security-group'), changed, cloud.now());
  };
  switch (step.kind) {
    case 'createNetwork': {
      const description = mark('network');
      const known = [...cloud.cache.networks.snapshot().items.values()];
      // Port security is disabled by default in some clouds, or the extension is missing, in which case networks do not
      // have the field.
      const hasExtension = known.some(({ port_security_enabled }) => port_security_enabled !== undefined);
      const body = { name, description, ...(hasExtension && { port_security_enabled: true }) };
      const create = () => network.networks.create(body, options);
      const { id } = await cloud.make(ledgers.networks, description, create);
      // Nothing can be attached to it yet.
      cloud.attachments.recordPorts(id, [], cloud.now());
      return;
    }
    case 'enablePortSecurity': {
      const updated = await network.networks.update(step.network.id, { port_security_enabled: true }, options);
      ledgers.networks.recordWritten(mark('network'), updated, cloud.now());
      return;
    }
    case 'createSubnet': {
      const description = mark('subnet');
      await cloud.make(ledgers.subnets, description, () =>
        network.subnets.create(
          {
            name,
            description,
            network_id: step.networkID,
            ip_version: 4,
            cidr: desired.nodesCIDR,
            enable_dhcp: true,
            ...(step.gatewayIp !== undefined && { gateway_ip: step.gatewayIp }),
            ...(desired.dnsNameservers.length > 0 && { dns_nameservers: [...desired.dnsNameservers] }),
          },
          options,
        ),
      );
      return;
    }
    case 'createRouter': {
      const description = mark('router');
      await cloud.make(ledgers.routers, description, () =>
        network.routers.create(
          { name, description, external_gateway_info: { network_id: step.externalNetworkID } },
          options,
        ),
      );
      return;
    }
    case 'updateSubnet': {
      const updated = await network.subnets.update(step.subnet.id, step.changes, options);
      ledgers.subnets.recordWritten(mark('subnet'), updated, cloud.now());
      return;
    }
    case 'setGateway': {
      const changes = await gatewayChange(step, cloud, cluster, options);
      const updated = await network.subnets.update(step.subnet.id, changes, options);
      ledgers.subnets.recordWritten(mark('subnet'), updated, cloud.now());
      return;
    }
    case 'setExternalNetwork': {
      const external_gateway_info = { network_id: step.externalNetworkID };
      const updated = await network.routers.update(step.router.id, { external_gateway_info }, options);
      ledgers.routers.recordWritten(mark('router'), updated, cloud.now());
      return;
    }
    case 'attachRouter':
    case 'detachRouter': {
      await connectRouter(step, cloud, options);
      return;
    }
    case 'createSecurityGroup': {
      const description = mark('node-security-group');
      await cloud.make(ledgers.securityGroups, description, () =>
        network.securityGroups.create({ name, description }, options),
      );
      return;
    }
    case 'createRules': {
      const created = await cloud.withQuotas(step.rules.length, () =>
        network.securityGroupRules.createMany(step.rules, options),
      );
      recordRules(step.group, [...step.group.security_group_rules, ...created]);
      return;
    }
    case 'deleteRule': {
      await network.securityGroupRules.delete(step.id, options);
      recordRules(
        step.group,
        step.group.security_group_rules.filter(({ id }) => id !== step.id),
      );
      return;
    }
    case 'deleteExtra': {
      await deleteExtra(step, cloud, options);
      return;
    }
  }
}

/**
 * Attaches or detaches a router. Attaching it twice is a conflict, which the next list resolves; so is detaching a
 * router that floating IPs need. Until the call has ended, earlier observations are not refreshed.
 */
async function connectRouter(
  { kind, routerID, subnet }: Extract<NetworkStep, { kind: 'attachRouter' | 'detachRouter' }>,
  cloud: ProjectCloud,
  options: CallOptions,
): Promise<void> {
  const { routers } = cloud.client.network;
  const target = { subnet_id: subnet.id };
  try {
    if (kind === 'attachRouter') await routers.addInterface(routerID, target, options);
    else await ignoreNotFound(routers.removeInterface(routerID, target, options));
  } finally {
    cloud.attachments.forget(subnet.network_id, cloud.now());
  }
}

async function deleteExtra(
  step: Extract<NetworkStep, { kind: 'deleteExtra' }>,
  cloud: ProjectCloud,
  options: CallOptions,
): Promise<void> {
  const { network } = cloud.client;
  switch (step.type) {
    case 'network':
      await detachAll(cloud, { network_id: step.id }, options);
      return cloud.remove(cloud.ledgers.networks, step.id, () => network.networks.delete(step.id, options));
    case 'subnet':
      return cloud.remove(cloud.ledgers.subnets, step.id, () => network.subnets.delete(step.id, options));
    case 'router':
      await detachClusterRouter(cloud, step.id, options);
      return cloud.remove(cloud.ledgers.routers, step.id, () => network.routers.delete(step.id, options));
    case 'securityGroup':
      return cloud.remove(cloud.ledgers.securityGroups, step.id, () => network.securityGroups.delete(step.id, options));
  }
}
