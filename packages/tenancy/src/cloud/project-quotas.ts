import type { CatalogueQuota, CatalogueQuotas } from '@fairway/api/admission/cloud-catalogue';
import type { CallOptions } from '@fairway/openstack/service-api';
import type { NetworkQuotaDetails } from '@fairway/openstack/types/network';
import type { ProjectCloud } from './project-cloud.ts';

/** The quotas of one service, read with one call. */
export type QuotaSource = (cloud: Pick<ProjectCloud, 'client'>, signal?: AbortSignal) => Promise<CatalogueQuotas>;

/** Includes Cinder only if the cloud has it. */
export function quotaSources(hasVolumes: boolean): readonly QuotaSource[] {
  return [computeQuotas, networkQuotas, ...(hasVolumes ? [volumeQuotas] : [])];
}

/** Neutron's quota names, by their names in a catalogue. */
const NETWORK_QUOTAS = {
  networks: 'network',
  subnets: 'subnet',
  routers: 'router',
  ports: 'port',
  floatingIPs: 'floatingip',
  securityGroups: 'security_group',
  securityGroupRules: 'security_group_rule',
} as const satisfies Partial<Record<keyof CatalogueQuotas, keyof NetworkQuotaDetails>>;

const computeQuotas: QuotaSource = async ({ client }, signal) => {
  const limits = await client.compute.limits(callOf(signal));
  return {
    instances: { limit: limits.maxTotalInstances, used: limits.totalInstancesUsed },
    cores: { limit: limits.maxTotalCores, used: limits.totalCoresUsed },
    memoryMiB: { limit: limits.maxTotalRAMSize, used: limits.totalRAMUsed },
    serverGroups: { limit: limits.maxServerGroups, used: limits.totalServerGroupsUsed },
  };
};

const networkQuotas: QuotaSource = async ({ client }, signal) => {
  const details = await client.network.quotaDetails(undefined, callOf(signal));
  return Object.fromEntries(
    Object.entries(NETWORK_QUOTAS).flatMap(([name, serviceNames]): (readonly [string, CatalogueQuota])[] => {
      const quota = details[serviceNames];
      // Reserved resources are about to be used.
      return quota === undefined ? [] : [[name, { limit: quota.limit, used: quota.used + quota.reserved }]];
    }),
  );
};

const volumeQuotas: QuotaSource = async ({ client }, signal) => {
  const limits = await client.blockStorage.limits(callOf(signal));
  return {
    volumes: { limit: limits.maxTotalVolumes, used: limits.totalVolumesUsed },
    volumeGiB: { limit: limits.maxTotalVolumeGigabytes, used: limits.totalGigabytesUsed },
  };
};

function callOf(signal: AbortSignal | undefined): CallOptions {
  return signal === undefined ? {} : { signal };
}
