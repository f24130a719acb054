import type { ServiceType } from '@fairway/openstack/services';
import { isL4Only } from '../cloud-capabilities.ts';
import type { CloudObservation } from '../cloud-observation.ts';
import type { ValueLimitName } from './stated-limits.ts';

/** A value that no cluster in the cloud can use. */
export interface Lack {
  readonly limit: ValueLimitName;
  readonly value: string;
  /** For tenants: the start of a note's sentence. */
  readonly reason: string;
  /** For tenants: what to use instead. */
  readonly alternative?: string;
  /** For operators: what would remove the limit. */
  readonly remedy: string;
}

type Excluded = Pick<Lack, 'limit' | 'value' | 'alternative'>;

const ONE_NODE = 'use a volume with ReadWriteOnce, and run its pods on one node';
const SHARED_ACCESS: readonly Excluded[] = ['ReadOnlyMany', 'ReadWriteMany'].map((value) => ({
  limit: 'storage.accessModes',
  value,
  alternative: ONE_NODE,
}));
const SHARES: Excluded = {
  limit: 'allowed.features',
  value: 'Shares',
  alternative: ONE_NODE,
};
const SNAPSHOTS: Excluded = {
  limit: 'allowed.features',
  value: 'VolumeSnapshots',
  alternative: 'back up the data from within the pods',
};
const LOAD_BALANCERS: Excluded = {
  limit: 'services.types',
  value: 'LoadBalancer',
  alternative: 'use a Service of type NodePort',
};
const L7: readonly Excluded[] = ['Ingresses', 'Gateways'].map((value) => ({
  limit: 'allowed.features',
  value,
  alternative: 'run an ingress controller in the cluster',
}));
const FLOATING_IPS: Excluded = { limit: 'allowed.features', value: 'FloatingIPs' };
const IPV6: readonly Excluded[] = (['network.ipFamilies', 'services.ipFamilies'] as const).flatMap((limit) =>
  ['IPv6', 'DualStack'].map((value) => ({ limit, value, alternative: 'use IPv4' })),
);

/** What the cloud certainly lacks. A service that can't be asked counts as present. Pure. */
export function cloudLacks(cloud: CloudObservation): Lack[] {
  const because = (reason: string, remedy: string, excluded: readonly Excluded[]): Lack[] =>
    excluded.map((each) => ({ ...each, reason, remedy }));
  return [
    ...sharedStorageLacks(cloud, because),
    ...volumeLacks(cloud, because),
    ...loadBalancerLacks(cloud, because),
    ...networkLacks(cloud, because),
  ];
}

type Because = (reason: string, remedy: string, excluded: readonly Excluded[]) => Lack[];

function sharedStorageLacks(cloud: CloudObservation, because: Because): Lack[] {
  if (!isMissing(cloud, 'shared-file-system')) return [];
  const hasVolumes = !isMissing(cloud, 'block-storage');
  const { volumeTypes } = cloud.choices;
  const mayShareVolumes =
    hasVolumes && ('problem' in volumeTypes || volumeTypes.value.some(({ isMultiattach }) => isMultiattach));
  const excluded = mayShareVolumes ? [SHARES] : [SHARES, ...SHARED_ACCESS];
  return because(
    'the cloud has no shared file systems',
    'install Manila',
    hasVolumes ? excluded : excluded.map(({ limit, value }) => ({ limit, value })),
  );
}

function volumeLacks(cloud: CloudObservation, because: Because): Lack[] {
  if (isMissing(cloud, 'block-storage')) return because('the cloud has no volumes', 'install Cinder', [SNAPSHOTS]);
  const { maxVolumeSnapshots } = cloud.choices;
  if ('problem' in maxVolumeSnapshots || maxVolumeSnapshots.value !== 0) return [];
  return because('projects have no quota for volume snapshots', "raise Cinder's quota of snapshots", [SNAPSHOTS]);
}

function loadBalancerLacks(cloud: CloudObservation, because: Because): Lack[] {
  if (isMissing(cloud, 'load-balancer')) {
    return because('the cloud has no load balancers', 'install Octavia', [LOAD_BALANCERS, ...L7]);
  }
  const { loadBalancerProviders: providers } = cloud;
  if ('problem' in providers || providers.value.length === 0 || !providers.value.every(isL4Only)) return [];
  const reason = `the cloud's load balancers (${providers.value.join(', ')}) cannot route HTTP requests`;
  return because(reason, "enable Octavia's provider amphora", L7);
}

function networkLacks({ externalNetworks, ipv6Sources }: CloudObservation, because: Because): Lack[] {
  const hasNone = 'value' in externalNetworks && externalNetworks.value.length === 0;
  const hasIpv4Alone = 'value' in ipv6Sources && ipv6Sources.value.length === 0;
  return [
    ...(hasNone ? because('the cloud has no floating IPs', 'create an external network', [FLOATING_IPS]) : []),
    ...(hasIpv4Alone
      ? because(
          'the cloud has no IPv6 addresses',
          'create an IPv6 subnet pool, or an IPv6 subnet of an external network',
          IPV6,
        )
      : []),
  ];
}

/** Whether the catalog lacks the service, and no endpoint is configured instead. Pure. */
export function isMissing({ missingServices, services }: CloudObservation, type: ServiceType): boolean {
  return missingServices.includes(type) && 'problem' in services[type];
}
