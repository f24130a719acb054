import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import { compareMicroversions } from '@fairway/openstack/microversion';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import type { DesiredContext } from './desired.ts';
import { vipsOf } from './families.ts';
import { KnownSubnets } from './known-subnets.ts';
import type { LoadBalancerEvents } from './load-balancer-events.ts';
import type { Family, LoadBalancerSpec } from './load-balancer-spec.ts';
import { isOvn } from './provider-limits.ts';
import type { PresentServiceScope } from './service-scope.ts';
import { allowedRanges } from './source-ranges.ts';
import { missingFamilyMessage, type SupportedSpec, supportedSpec } from './supported-spec.ts';
import { placementIn, type VipPlacement, type VipSubnets, vipSubnets } from './vip-placements.ts';

/** The supported spec of a new load balancer, with its placement. */
export interface PlacedSpec extends Pick<DesiredContext, 'memberSubnets'> {
  readonly balancerSpec: LoadBalancerSpec;
  /** If undefined, the placement in the spec applies. */
  readonly place?: VipPlacement;
  readonly found?: VipSubnets;
}

export type SupportedPlacement = Omit<SupportedSpec, 'open'> &
  Pick<DesiredContext, 'memberSubnets'> & {
    /** A required address family that is missing. */
    readonly problem: string | undefined;
  };

/** Octavia API versions: the first with additional VIPs, and the first that applies ranges per family and supports additional VIPs with OVN. */
const ADDITIONAL_VIPS_VERSION = '2.26';
const ALL_VIPS_VERSION = '2.27';

/** Finds addresses for the IP families of a Service. An IPv4-only Service needs no cloud request. */
export class AddressFamilies {
  readonly #events: LoadBalancerEvents;
  readonly #subnets = new KnownSubnets();

  constructor(events: LoadBalancerEvents) {
    this.#events = events;
  }

  /** Finds the addresses for a new load balancer. Rejects if a required family is missing. */
  async place(scope: PresentServiceScope, balancerSpec: LoadBalancerSpec): Promise<PlacedSpec> {
    const [first = 4, second] = balancerSpec.families;
    if (first === 4 && second === undefined) return { balancerSpec };
    const found = await vipSubnets(scope, balancerSpec.vip, this.#subnets);
    const single = this.#singleFamily(scope, balancerSpec, found);
    if (second === undefined) return single();
    const cause = await singleStackReason(scope, balancerSpec);
    if (cause !== undefined) return single(cause);
    const place = placementIn(found, balancerSpec.vip, balancerSpec.families);
    if (place === undefined)
      return single(missingSubnetMessage(found, found.subnets.some((each) => each.family === first) ? second : first));
    return {
      balancerSpec,
      place,
      found,
      memberSubnets: await this.#memberSubnets(scope, balancerSpec, [place.subnetID, place.additional?.subnetID]),
    };
  }

  /** Falls back to one family after the provider rejected both; rejects with any unrelated error. */
  async placeSingleFamily(
    scope: PresentServiceScope,
    { balancerSpec, place, found }: PlacedSpec,
    error: unknown,
  ): Promise<PlacedSpec> {
    const isUnsupported = isOpenStackError(error) && error.status === 501;
    if (place?.additional === undefined || found === undefined || !isUnsupported) throw error;
    return this.#singleFamily(
      scope,
      balancerSpec,
      found,
    )(`the cloud's Octavia provider rejected the request: ${error.detail}`);
  }

  /**
   * Finds the addresses for an existing load balancer. Rejects with ServiceRefused if it has no address in a requested
   * family.
   */
  async fitToVips(
    scope: PresentServiceScope,
    balancerSpec: LoadBalancerSpec,
    loadBalancer: LoadBalancer,
  ): Promise<SupportedPlacement> {
    const present = vipsOf(loadBalancer);
    const isIPv4Only = [balancerSpec.families, present.map(({ family }) => family)].every(isOnlyIPv4);
    if (isIPv4Only)
      return { balancerSpec, vips: present, missing: undefined, memberSubnets: undefined, problem: undefined };
    const canRestrictSources = present.length > 1 && (await canRestrictBoth(scope, balancerSpec.provider));
    const supported = supportedSpec(loadBalancer, balancerSpec, canRestrictSources || present.length === 1);
    const memberSubnets = await this.#memberSubnets(
      scope,
      balancerSpec,
      present.map(({ subnetID }) => subnetID),
    );
    this.#warnOpenAddress(scope, loadBalancer, supported);
    const problem = await this.#warnMissingFamily(scope, loadBalancer, balancerSpec, supported.missing);
    const named =
      balancerSpec.vip.subnetID === undefined ? undefined : await this.#subnets.get(scope, balancerSpec.vip.subnetID);
    // The network's own subnet of this family is used instead.
    const isOtherFamily = named !== undefined && !supported.balancerSpec.families.includes(named.family);
    const vip = { ...supported.balancerSpec.vip, ...(isOtherFamily && { subnetID: undefined }) };
    return { ...supported, balancerSpec: { ...supported.balancerSpec, vip }, memberSubnets, problem };
  }

  #singleFamily(
    scope: PresentServiceScope,
    balancerSpec: LoadBalancerSpec,
    found: VipSubnets,
  ): (cause?: string) => Promise<PlacedSpec> {
    return async (cause) => {
      const [first = 4] = balancerSpec.families;
      const families = [first];
      if (cause !== undefined && balancerSpec.needsAllFamilies) throw missingSubnetError(requiredMessage(cause));
      const place = placementIn(found, balancerSpec.vip, families);
      if (place === undefined) throw missingSubnetError(`spec.ipFamilies: ${missingSubnetMessage(found, first)}`);
      if (cause !== undefined) this.#warnSingleStack(scope, first, cause);
      const memberSubnets = await this.#memberSubnets(scope, balancerSpec, [place.subnetID]);
      const sourceRanges = allowedRanges(balancerSpec.sourceRanges, families, families);
      return { balancerSpec: { ...balancerSpec, families, sourceRanges }, place, memberSubnets };
    };
  }

  #memberSubnets(
    scope: PresentServiceScope,
    { memberSubnetID }: LoadBalancerSpec,
    others: readonly (string | undefined)[],
  ) {
    return this.#subnets.all(scope, [memberSubnetID, ...others]);
  }

  #warnSingleStack({ service, tenant }: PresentServiceScope, family: Family, cause: string): void {
    const message = `only IPv${family} of spec.ipFamilies is served: ${cause}`;
    this.#events.warning(tenant, service, 'LoadBalancerSingleStack', message);
  }

  #warnOpenAddress({ service, tenant }: PresentServiceScope, { id }: LoadBalancer, { open }: SupportedSpec): void {
    if (open === undefined) return;
    const message = `load balancer ${id} retains its address ${open.address}, which the Service does not request, and is still reachable there`;
    this.#events.warning(tenant, service, 'LoadBalancerUnchanged', message, open.address);
  }

  /**
   * Warns about a missing family. Resolves with the problem if it keeps the Service from reaching its required state.
   */
  async #warnMissingFamily(
    scope: PresentServiceScope,
    loadBalancer: LoadBalancer,
    balancerSpec: LoadBalancerSpec,
    missing: Family | undefined,
  ): Promise<string | undefined> {
    if (missing === undefined) return undefined;
    const cause = (await singleStackReason(scope, balancerSpec)) ?? missingFamilyMessage(loadBalancer, missing);
    if (balancerSpec.needsAllFamilies) return requiredMessage(cause);
    this.#warnSingleStack(scope, missing === 4 ? 6 : 4, cause);
    return undefined;
  }
}

function isOnlyIPv4([first, ...others]: readonly Family[]): boolean {
  return first === 4 && others.length === 0;
}

function requiredMessage(cause: string): string {
  return `spec.ipFamilyPolicy: RequireDualStack: ${cause}; or use PreferDualStack`;
}

/** A problem that may be fixed in the cloud: it is checked again even if the Service does not change. */
function missingSubnetError(message: string): ProblemError {
  return new ProblemError({ reason: 'ConfigurationInvalid', message });
}

function missingSubnetMessage({ where, adviceFor }: VipSubnets, family: Family): string {
  return `${where} has no IPv${family} subnet: ${adviceFor(family)}`;
}

/** Why a load balancer cannot be dual-stack, if that is known in advance. */
async function singleStackReason(
  { cloud }: PresentServiceScope,
  { provider, sourceRanges }: LoadBalancerSpec,
): Promise<string | undefined> {
  const version = await cloud.client.loadBalancing.apiVersion();
  const minVersion = isOvn(provider) ? ALL_VIPS_VERSION : ADDITIONAL_VIPS_VERSION;
  const is = `this cloud's Octavia has API version ${version ?? 'unknown'}`;
  if (!isAtLeast(version, minVersion)) return `${is}, and load balancers with two addresses need ${minVersion}`;
  if (sourceRanges.length === 0 || isAtLeast(version, ALL_VIPS_VERSION)) return undefined;
  return `${is}, and spec.loadBalancerSourceRanges with two addresses needs ${ALL_VIPS_VERSION}; remove it`;
}

async function canRestrictBoth({ cloud }: PresentServiceScope, provider: string | undefined): Promise<boolean> {
  return !isOvn(provider) && isAtLeast(await cloud.client.loadBalancing.apiVersion(), ALL_VIPS_VERSION);
}

function isAtLeast(version: string | undefined, minVersion: string): boolean {
  return version !== undefined && compareMicroversions(version, minVersion) >= 0;
}
