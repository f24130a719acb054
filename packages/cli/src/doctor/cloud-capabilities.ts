import { sizeProblem } from '@fairway/api/domain/reserved-resources';
import { SERVICES, type ServiceType } from '@fairway/openstack/services';
import type { CloudObservation, ObservedFlavor, ObservedImage } from './cloud-observation.ts';
import type { ObservedValue } from './observed-value.ts';

/** A capability that Kubernetes needs from a cloud. */
export interface Capability {
  readonly capability: string;
  readonly offered: 'yes' | 'no' | 'partly';
  /** What the cloud offers. */
  readonly detail: string;
  /** What the cloud lacks; empty if nothing is missing. */
  readonly missing: readonly string[];
}

/** Neutron extensions that Fairway requires. */
const REQUIRED_EXTENSIONS = ['router', 'external-net', 'security-group', 'standard-attr-tag'];
/** The only Octavia provider that is limited to L4 load balancing. */
const L4_ONLY_PROVIDERS = new Set(['ovn']);

/** Whether the Octavia provider can't route HTTP requests. */
export function isL4Only(provider: string): boolean {
  return L4_ONLY_PROVIDERS.has(provider);
}
/** What one cluster uses in addition to its nodes. */
const CLUSTER_NEEDS = ['networks', 'subnets', 'routers', 'security groups'];
/** Application credentials are created by tenants. */
const NEEDED_PERMISSIONS = new Set(['servers', 'server groups', 'networks', 'routers', 'floating IPs']);
const NODE_NEEDS = ['instances', 'cores', 'MiB of memory', 'ports'];

/** The capabilities in the starter kit's table for Kubernetes, evaluated for one cloud. Pure. */
export function capabilitiesOf(cloud: CloudObservation): Capability[] {
  return [
    nodes(cloud),
    loadBalancers(cloud, 'load balancers, L4', () => true),
    loadBalancers(cloud, 'load balancers, L7', (provider) => !isL4Only(provider)),
    storage(cloud, 'volumes, RWO', 'block-storage', cloud.volumeTypes, 'volume type'),
    storage(cloud, 'volumes, RWX', 'shared-file-system', cloud.shareTypes, 'share type'),
    dns(cloud),
    keyManagement(cloud),
    dualStack(cloud),
  ];
}

/** Flavors suitable for nodes: enough memory, and a disk of their own or a boot volume. */
export function fittingFlavors(cloud: CloudObservation): readonly ObservedFlavor[] {
  const hasVolumes = 'value' in cloud.services['block-storage'];
  const flavors = 'value' in cloud.flavors ? cloud.flavors.value : [];
  return flavors.filter((flavor) => sizeProblem(flavor) === undefined && (flavor.diskGiB > 0 || hasVolumes));
}

const NODE_DISTROS = new Set(['ubuntu', 'debian']);

/** Whether nodes can boot an image with this `os_distro`. */
export function isNodeDistro(distro: string): boolean {
  return NODE_DISTROS.has(distro);
}

/** Images known to work for nodes. */
export function fittingImages(cloud: CloudObservation): readonly ObservedImage[] {
  const images = 'value' in cloud.images ? cloud.images.value : [];
  return images.filter(({ distro }) => distro !== undefined && isNodeDistro(distro));
}

function nodes(cloud: CloudObservation): Capability {
  const absent = (['compute', 'network', 'image'] as const).flatMap((type) => serviceProblem(cloud, type) ?? []);
  const flavors = fittingFlavors(cloud);
  const images = fittingImages(cloud);
  if (absent.length > 0) return { capability: 'nodes', offered: 'no', detail: '', missing: absent };
  const blocking: string[] = [];
  const limiting: string[] = [];
  const { extensions, externalNetworks, quotas } = cloud;
  if ('problem' in extensions) limiting.push(`extensions: ${extensions.problem}`);
  else {
    const missingExtensions = REQUIRED_EXTENSIONS.filter((alias) => !extensions.value.includes(alias));
    if (missingExtensions.length > 0) blocking.push(`Neutron lacks the extensions ${missingExtensions.join(', ')}`);
  }
  if (flavors.length === 0) blocking.push('no flavor has 2 GiB of memory and a disk');
  if (images.length === 0) {
    limiting.push(
      'no public image has os_distro=ubuntu or debian: clusters must set spec.nodeImage (see fairway up --default-image)',
    );
  }
  if ('problem' in externalNetworks) limiting.push(`external networks: ${externalNetworks.problem}`);
  else if (externalNetworks.value.length === 0) {
    limiting.push('no external network: clusters need an existing network with another way to the Internet');
  }
  if ('problem' in quotas) limiting.push(`quota: ${quotas.problem}`);
  else limiting.push(...exhaustedQuotas(quotas.value));
  limiting.push(...deniedPermissions(cloud));
  const missing = [...blocking, ...limiting];
  const offered = blocking.length > 0 ? 'no' : missing.length > 0 ? 'partly' : 'yes';
  const detail = `${flavors.length} flavors and ${images.length} images are usable`;
  return { capability: 'nodes', offered, detail, missing };
}

/** Denied permissions are only a limitation, because tenants' clusters use their own credentials. */
function deniedPermissions({ permissions, user, project }: CloudObservation): string[] {
  if ('problem' in permissions) return [];
  const names = permissions.value
    .filter(({ what, allowed }) => allowed === 'no' && NEEDED_PERMISSIONS.has(what))
    .map(({ what }) => what);
  return names.length === 0
    ? []
    : [`user ${user} may not create ${names.join(', ')} in project ${project}: give it the role member`];
}

function exhaustedQuotas(quotas: readonly { what: string; limit: number; used: number }[]): string[] {
  const needed = [...NODE_NEEDS, ...CLUSTER_NEEDS];
  return quotas
    .filter(({ what, limit, used }) => needed.includes(what) && limit >= 0 && used >= limit)
    .map(({ what, limit }) => `the quota of ${limit} ${what} is used up`);
}

function loadBalancers(cloud: CloudObservation, capability: string, fits: (provider: string) => boolean): Capability {
  const absent = serviceProblem(cloud, 'load-balancer');
  if (absent !== undefined) return { capability, offered: 'no', detail: '', missing: [absent] };
  const { loadBalancerProviders: providers } = cloud;
  if ('problem' in providers) return { capability, offered: 'partly', detail: '', missing: [providers.problem] };
  const fitting = providers.value.filter(fits);
  if (fitting.length > 0) return { capability, offered: 'yes', detail: `by ${fitting.join(', ')}`, missing: [] };
  const available = providers.value.join(', ') || 'no provider';
  return { capability, offered: 'no', detail: '', missing: [`Octavia only has ${available}: enable amphora`] };
}

function storage(
  cloud: CloudObservation,
  capability: string,
  type: ServiceType,
  types: ObservedValue<readonly string[]>,
  what: string,
): Capability {
  const absent = serviceProblem(cloud, type);
  if (absent !== undefined) return { capability, offered: 'no', detail: '', missing: [absent] };
  if ('problem' in types) return { capability, offered: 'partly', detail: '', missing: [types.problem] };
  if (types.value.length > 0) {
    return { capability, offered: 'yes', detail: `${what}s ${types.value.join(', ')}`, missing: [] };
  }
  return { capability, offered: 'partly', detail: '', missing: [`${projectOf(type)} has no ${what} for the project`] };
}

function dns(cloud: CloudObservation): Capability {
  const absent = serviceProblem(cloud, 'dns');
  const hasNames = 'value' in cloud.extensions && cloud.extensions.value.some((alias) => alias.startsWith('dns-'));
  if (absent === undefined) return { capability: 'DNS', offered: 'yes', detail: 'Designate', missing: [] };
  if (!hasNames) return { capability: 'DNS', offered: 'no', detail: '', missing: [absent] };
  const detail = 'Neutron gives ports DNS names inside their networks';
  return { capability: 'DNS', offered: 'partly', detail, missing: [absent] };
}

function keyManagement(cloud: CloudObservation): Capability {
  const absent = serviceProblem(cloud, 'key-manager');
  const capability = 'key management';
  if (absent !== undefined) return { capability, offered: 'no', detail: '', missing: [absent] };
  return { capability, offered: 'yes', detail: 'Barbican', missing: [] };
}

function dualStack(cloud: CloudObservation): Capability {
  const capability = 'dual stack';
  const { externalNetworks } = cloud;
  const absent = serviceProblem(cloud, 'network');
  if (absent !== undefined) return { capability, offered: 'no', detail: '', missing: [absent] };
  if ('problem' in externalNetworks) {
    return { capability, offered: 'partly', detail: '', missing: [externalNetworks.problem] };
  }
  const routed = externalNetworks.value.filter(({ ipVersions }) => ipVersions?.includes(6));
  if (routed.length > 0) {
    const detail = `external networks ${routed.map(({ name }) => name).join(', ')} have IPv6`;
    return { capability, offered: 'yes', detail, missing: [] };
  }
  const isHidden = externalNetworks.value.some(({ ipVersions }) => ipVersions === undefined);
  const missing = isHidden
    ? 'the subnets of external networks are not visible, so IPv6 support is unknown'
    : 'no external network has an IPv6 subnet: IPv6 is limited to the project';
  return { capability, offered: 'partly', detail: 'Neutron creates IPv6 subnets', missing: [missing] };
}

/** A service's error, with its project's name; undefined if it responds. */
function serviceProblem({ services }: CloudObservation, type: ServiceType): string | undefined {
  const service = services[type];
  if ('value' in service) return undefined;
  const isAbsent = service.problem.includes(`the catalog has no ${type} service`);
  return isAbsent ? `${projectOf(type)}: the catalog has no ${type} service` : `${projectOf(type)}: ${service.problem}`;
}

/** What the operator must install for a service. */
function projectOf(type: ServiceType): string {
  return SERVICES.find((service) => service.type === type)?.project ?? type;
}
