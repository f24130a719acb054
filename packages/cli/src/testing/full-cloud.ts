import { SERVICES, type ServiceType } from '@fairway/openstack/services';
import type { CloudObservation } from '../doctor/cloud-observation.ts';

/** A cloud that offers every capability. */
export const FULL_CLOUD: CloudObservation = {
  cloud: 'full',
  region: 'R',
  user: 'u',
  project: 'p',
  roles: ['member'],
  services: Object.fromEntries(
    SERVICES.map(({ type }) => [
      type,
      { value: { type, name: type, url: `https://x/${type}`, microversion: undefined } },
    ]),
  ) as CloudObservation['services'],
  missingServices: [],
  regions: ['R'],
  choices: {
    flavors: { value: [{ id: 'f1', name: 'b3-8' }] },
    images: { value: [{ id: 'i1', name: 'Ubuntu' }] },
    networks: { value: [{ id: 'n1', name: 'public' }] },
    volumeTypes: { value: [{ id: 'v1', name: 'classic', isMultiattach: false }] },
    maxVolumeSnapshots: { value: 10 },
  },
  ipv6Sources: { value: ['network public'] },
  extensions: { value: ['router', 'external-net', 'security-group', 'standard-attr-tag'] },
  computeZones: { value: ['a'] },
  networkZones: { value: ['a'] },
  externalNetworks: { value: [{ name: 'public', isDefault: true, ipVersions: [4, 6] }] },
  flavors: { value: [{ id: 'f1', name: 'b3-8', vcpus: 2, memoryMiB: 8192, diskGiB: 50 }] },
  images: { value: [{ id: 'i1', name: 'Ubuntu', distro: 'ubuntu', version: '24.04' }] },
  quotas: { value: [{ what: 'instances', limit: 10, used: 0 }] },
  loadBalancerProviders: { value: ['amphora', 'ovn'] },
  volumeTypes: { value: ['classic'] },
  shareTypes: { value: ['default'] },
  permissions: { value: [{ what: 'servers', allowed: 'yes', detail: '' }] },
  keystone: { value: [] },
};

/** The fields of an observation that show that the catalog lacks a service. */
export function withoutService(type: ServiceType): Pick<CloudObservation, 'services' | 'missingServices'> {
  const problem = `${type} GET /: notFound: the catalog has no ${type} service, only: identity`;
  return { services: { ...FULL_CLOUD.services, [type]: { problem } }, missingServices: [type] };
}
