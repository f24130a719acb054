import type { CatalogueQuotas } from '@fairway/api/admission/cloud-catalogue';
import { isCloudImage } from '@fairway/api/domain/image-choice';
import { trimmedEnd } from '@fairway/base/trim';
import type { ProjectReader } from '@fairway/identity/project-list';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import type { Service } from '@fairway/openstack/service';
import { ServiceApi } from '@fairway/openstack/service-api';
import type { ServiceDefinition } from '@fairway/openstack/service-definition';
import { SERVICES, type ServiceType } from '@fairway/openstack/services';
import type { Flavor } from '@fairway/openstack/types/compute';
import type { Image } from '@fairway/openstack/types/image';
import { catalogueImage } from '@fairway/tenancy/cloud/catalogue-image';
import { quotaSources } from '@fairway/tenancy/cloud/project-quotas';
import { z } from 'zod';
import { type CloudChoices, listChoices, observeChoices } from './cloud-choices.ts';
import type { ExternalNetwork } from './external-network.ts';
import { ipv6Sources } from './ipv6-sources.ts';
import { type KeystoneRight, observeKeystoneRights } from './keystone-rights.ts';
import { known, mapped, type ObservedValue } from './observed-value.ts';
import { observePermissions, type Permission } from './permissions.ts';
import { missingServices, regionsOf } from './service-regions.ts';

export interface ObservedService {
  readonly type: string;
  /** Name in the catalog: `nova`. */
  readonly name: string;
  readonly url: string;
  /** Highest microversion, if the service has them. */
  readonly microversion: string | undefined;
}

export interface ObservedQuota {
  readonly what: string;
  /** -1 for unlimited. */
  readonly limit: number;
  readonly used: number;
}

export interface ObservedFlavor {
  readonly id: string;
  readonly name: string;
  readonly vcpus: number;
  readonly memoryMiB: number;
  readonly diskGiB: number;
}

export interface ObservedImage {
  readonly id: string;
  readonly name: string;
  readonly distro: string | undefined;
  readonly version: string | undefined;
}

/** What a cloud offers a project, as visible to that project. */
export interface CloudObservation {
  readonly cloud: string;
  readonly region: string | undefined;
  readonly user: string;
  readonly project: string;
  readonly roles: readonly string[];
  /** A service that is missing from the catalog or does not respond has a problem. */
  readonly services: Readonly<Record<ServiceType, ObservedValue<ObservedService>>>;
  /** Services that the catalog does not list for the region; others that have a problem may exist. */
  readonly missingServices: readonly ServiceType[];
  /** Regions in the catalog. */
  readonly regions: readonly string[];
  readonly extensions: ObservedValue<readonly string[]>;
  readonly computeZones: ObservedValue<readonly string[]>;
  readonly networkZones: ObservedValue<readonly string[]>;
  readonly externalNetworks: ObservedValue<readonly ExternalNetwork[]>;
  readonly flavors: ObservedValue<readonly ObservedFlavor[]>;
  readonly images: ObservedValue<readonly ObservedImage[]>;
  readonly quotas: ObservedValue<readonly ObservedQuota[]>;
  readonly loadBalancerProviders: ObservedValue<readonly string[]>;
  readonly volumeTypes: ObservedValue<readonly string[]>;
  readonly shareTypes: ObservedValue<readonly string[]>;
  /** What Plans can refer to. */
  readonly choices: CloudChoices;
  /** Where nodes can get IPv6 addresses: subnet pools and shared networks; empty if nowhere. */
  readonly ipv6Sources: ObservedValue<readonly string[]>;
  /** What the user may create. */
  readonly permissions: ObservedValue<readonly Permission[]>;
  /** What the user may do if `keystone.cloud` refers to this entry. */
  readonly keystone: ObservedValue<readonly KeystoneRight[]>;
}

const Providers = z.object({ providers: z.array(z.object({ name: z.string() })) });

/**
 * Observes a cloud, in parallel. Throws only if the credentials are rejected or Keystone is unavailable. `supported`
 * defaults to all services in use.
 */
export async function observeCloud(
  client: OpenStackClient,
  cloud: {
    readonly name: string;
    readonly region: string | undefined;
    /** The cloud's user, with clients that may read more of Keystone. */
    readonly projectReaders?: readonly ProjectReader[];
  },
  supported: readonly Service[] = SERVICES,
): Promise<CloudObservation> {
  const { session, compute, network, sharedFileSystem } = client;
  const { token } = await session.token();
  const lists = listChoices(client);
  const externalNetworks = known(() => observeExternalNetworks(network));
  // Keystone is up, since it issued a token.
  const service = async ({ type, microversions, probe }: ServiceDefinition): Promise<ObservedService> => {
    const url = await session.endpoint(type);
    const range = microversions && (await session.microversions(type));
    if (probe !== undefined) await new ServiceApi(session, type).get(z.unknown(), probe);
    const name = token.catalog.find(({ endpoints }) =>
      endpoints.some((endpoint) => url.startsWith(origin(endpoint.url))),
    );
    return { type, name: name?.name ?? type, url, microversion: range?.max };
  };
  const names = <T>(schema: z.ZodType<T>, type: ServiceType, path: string, pick: (answer: T) => { name: string }[]) =>
    known(async () => pick(await new ServiceApi(session, type).get(schema, path)).map(({ name }) => name));
  const zones = known(async () =>
    (await compute.availabilityZones()).filter(({ zoneState }) => zoneState.available).map(({ zoneName }) => zoneName),
  );
  const observed = {
    extensions: known(async () => (await network.extensions()).map(({ alias }) => alias).sort()),
    computeZones: zones,
    networkZones: known(async () =>
      (await network.availabilityZones())
        .filter(({ resource, state }) => resource === 'network' && state === 'available')
        .map(({ name }) => name),
    ),
    externalNetworks,
    flavors: mapped(lists.flavors, (flavors) => flavors.map(observeFlavor)),
    images: mapped(lists.images, (images) => images.filter(isOffered).map(observeImage)),
    quotas: known(() => observeQuotas(client)),
    loadBalancerProviders: names(Providers, 'load-balancer', '/lbaas/providers', ({ providers }) => providers),
    volumeTypes: mapped(lists.volumeTypes, (types) => types.map(({ name }) => name)),
    shareTypes: known(async () => (await sharedFileSystem.shareTypes()).map(({ name }) => name)),
    choices: observeChoices(lists),
    ipv6Sources: ipv6Sources(network, lists.networks, externalNetworks),
    permissions: known(() => observePermissions(client)),
    keystone: known(() => observeKeystoneRights(client, cloud.projectReaders ?? [], Date.parse(token.issued_at))),
  };
  const services = Promise.all(supported.map(async (each) => [each.type, await known(() => service(each))] as const));
  return {
    cloud: cloud.name,
    region: cloud.region,
    user: token.user.name,
    project: token.project?.name ?? '',
    roles: token.roles.map(({ name }) => name),
    services: Object.fromEntries(await services) as CloudObservation['services'],
    missingServices: missingServices(token.catalog, cloud.region),
    regions: regionsOf(token.catalog),
    extensions: await observed.extensions,
    computeZones: await observed.computeZones,
    networkZones: await observed.networkZones,
    externalNetworks: await observed.externalNetworks,
    flavors: await observed.flavors,
    images: await observed.images,
    quotas: await observed.quotas,
    loadBalancerProviders: await observed.loadBalancerProviders,
    volumeTypes: await observed.volumeTypes,
    shareTypes: await observed.shareTypes,
    choices: await observed.choices,
    ipv6Sources: await observed.ipv6Sources,
    permissions: await observed.permissions,
    keystone: await observed.keystone,
  };
}

function origin(url: string): string {
  return trimmedEnd(url, '/');
}

async function observeExternalNetworks(network: OpenStackClient['network']): Promise<ExternalNetwork[]> {
  const found = await Array.fromAsync(network.networks.list({ 'router:external': true }));
  return Promise.all(
    found.map(async ({ id, name, is_default }) => {
      const subnets = await Array.fromAsync(network.subnets.list({ network_id: id }));
      const ipVersions = [...new Set(subnets.map(({ ip_version }) => ip_version))].sort((a, b) => a - b);
      return { name, isDefault: is_default ?? false, ipVersions: subnets.length === 0 ? undefined : ipVersions };
    }),
  );
}

function observeFlavor({ id, name, vcpus, ram, disk }: Flavor): ObservedFlavor {
  return { id, name, vcpus, memoryMiB: ram, diskGiB: disk };
}

/** Nodes boot only from these images unless another one is requested. */
function isOffered(image: Image): boolean {
  return isCloudImage(catalogueImage(image));
}

function observeImage(image: Image): ObservedImage {
  const text = (property: string) => (typeof image[property] === 'string' ? image[property] : undefined);
  const { id, name } = image;
  return { id, name: name || id, distro: text('os_distro'), version: text('os_version') };
}

/** The quotas of Nova and Neutron. */
async function observeQuotas(client: OpenStackClient): Promise<ObservedQuota[]> {
  const known = await Promise.all(quotaSources(false).map((source) => source({ client })));
  const quotas: CatalogueQuotas = Object.assign({}, ...known);
  return Object.entries(QUOTA_WORDS).flatMap(([name, what]) => {
    const quota = quotas[name as keyof typeof QUOTA_WORDS];
    return quota === undefined ? [] : [{ what, ...quota }];
  });
}

/** The quotas to show, in this order. */
const QUOTA_WORDS = {
  instances: 'instances',
  cores: 'cores',
  memoryMiB: 'MiB of memory',
  serverGroups: 'server groups',
  networks: 'networks',
  subnets: 'subnets',
  routers: 'routers',
  ports: 'ports',
  floatingIPs: 'floating IPs',
  securityGroups: 'security groups',
} as const satisfies { readonly [Name in keyof CatalogueQuotas]: string };
