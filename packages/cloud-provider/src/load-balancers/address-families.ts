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
import { placeIn, type VipPlace, type VipSubnets, vipSubnets } from './vip-places.ts';

/** The supported part of the spec of a new load balancer. */
export interface Placed extends Pick<DesiredContext, 'memberSubnets'> {
  readonly balancerSpec: LoadBalancerSpec;
  /** Undefined: use the placement in the spec. */
  readonly place?: VipPlace;
  readonly found?: VipSubnets;
}

export type SupportedPlacement = Omit<SupportedSpec, 'open'> &
  Pick<DesiredContext, 'memberSubnets'> & {
    /** A required address family that is missing. */
    readonly problem: string | undefined;
  };

/** Octavia API versions: the first with additional VIPs, and the first that applies ranges per family and supports additional VIPs with OVN. */
const ADDITIONAL_VIPS = '2.26';
const WHOLE_VIPS = '2.27';

/** Finds addresses for the IP families of a Service. An IPv4-only Service needs no cloud request. */
export class AddressFamilies {
  readonly #events: LoadBalancerEvents;
  readonly #subnets = new KnownSubnets();

  constructor(events: LoadBalancerEvents) {
    this.#events = events;
  }

  /** For a new load balancer. Rejects if a required family is missing. */
  async place(scope: PresentServiceScope, balancerSpec: LoadBalancerSpec): Promise<Placed> {
    const [first = 4, second] = balancerSpec.families;
    if (first === 4 && second === undefined) return { balancerSpec };
    const found = await vipSubnets(scope, balancerSpec.vip, this.#subnets);
    const single = this.#single(scope, balancerSpec, found);
    if (second === undefined) return single();
    const why = await whyOne(scope, balancerSpec);
    if (why !== undefined) return single(why);
    const place = placeIn(found, balancerSpec.vip, balancerSpec.families);
    if (place === undefined)
      return single(noSubnet(found, found.subnets.some((each) => each.family === first) ? second : first));
    return {
      balancerSpec,
      place,
      found,
      memberSubnets: await this.#memberSubnets(scope, balancerSpec, [place.subnetID, place.additional?.subnetID]),
    };
  }

  /** Falls back to one family after the provider rejected both; rejects with any unrelated error. */
  async placeOne(scope: PresentServiceScope, { balancerSpec, place, found }: Placed, error: unknown): Promise<Placed> {
    const isRefused = isOpenStackError(error) && error.status === 501;
    if (place?.additional === undefined || found === undefined || !isRefused) throw error;
    return this.#single(
      scope,
      balancerSpec,
      found,
    )(`the cloud's Octavia provider rejected the request: ${error.detail}`);
  }

  /** For an existing load balancer. Rejects with ServiceRefused if it has no address of a requested family. */
  async fit(
    scope: PresentServiceScope,
    balancerSpec: LoadBalancerSpec,
    loadBalancer: LoadBalancer,
  ): Promise<SupportedPlacement> {
    const present = vipsOf(loadBalancer);
    const isUsual = [balancerSpec.families, present.map(({ family }) => family)].every(isIPv4Alone);
    if (isUsual)
      return { balancerSpec, vips: present, missing: undefined, memberSubnets: undefined, problem: undefined };
    const canLimit = present.length > 1 && (await canLimitTwo(scope, balancerSpec.provider));
    const fitted = supportedSpec(loadBalancer, balancerSpec, canLimit || present.length === 1);
    const memberSubnets = await this.#memberSubnets(
      scope,
      balancerSpec,
      present.map(({ subnetID }) => subnetID),
    );
    this.#warnOpenAddress(scope, loadBalancer, fitted);
    const problem = await this.#warnMissingFamily(scope, loadBalancer, balancerSpec, fitted.missing);
    const named =
      balancerSpec.vip.subnetID === undefined ? undefined : await this.#subnets.get(scope, balancerSpec.vip.subnetID);
    // The network's own subnet of this family was used instead.
    const isOther = named !== undefined && !fitted.balancerSpec.families.includes(named.family);
    const vip = { ...fitted.balancerSpec.vip, ...(isOther && { subnetID: undefined }) };
    return { ...fitted, balancerSpec: { ...fitted.balancerSpec, vip }, memberSubnets, problem };
  }

  #single(
    scope: PresentServiceScope,
    balancerSpec: LoadBalancerSpec,
    found: VipSubnets,
  ): (why?: string) => Promise<Placed> {
    return async (why) => {
      const [first = 4] = balancerSpec.families;
      const families = [first];
      if (why !== undefined && balancerSpec.needsAllFamilies) throw lackingNow(required(why));
      const place = placeIn(found, balancerSpec.vip, families);
      if (place === undefined) throw lackingNow(`spec.ipFamilies: ${noSubnet(found, first)}`);
      if (why !== undefined) this.#warnSingleStack(scope, first, why);
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

  #warnSingleStack({ service, tenant }: PresentServiceScope, family: Family, why: string): void {
    const message = `only IPv${family} of spec.ipFamilies is served: ${why}`;
    this.#events.warning(tenant, service, 'LoadBalancerSingleStack', message);
  }

  #warnOpenAddress({ service, tenant }: PresentServiceScope, { id }: LoadBalancer, { open }: SupportedSpec): void {
    if (open === undefined) return;
    const message = `load balancer ${id} retains its address ${open.address}, which the Service does not request, and is still reachable there`;
    this.#events.warning(tenant, service, 'LoadBalancerUnchanged', message, open.address);
  }

  /** Resolves with the problem that keeps the Service from its required state. */
  async #warnMissingFamily(
    scope: PresentServiceScope,
    loadBalancer: LoadBalancer,
    balancerSpec: LoadBalancerSpec,
    missing: Family | undefined,
  ): Promise<string | undefined> {
    if (missing === undefined) return undefined;
    const why = (await whyOne(scope, balancerSpec)) ?? missingFamilyMessage(loadBalancer, missing);
    if (balancerSpec.needsAllFamilies) return required(why);
    this.#warnSingleStack(scope, missing === 4 ? 6 : 4, why);
    return undefined;
  }
}

function isIPv4Alone([first, ...others]: readonly Family[]): boolean {
  return first === 4 && others.length === 0;
}

function required(why: string): string {
  return `spec.ipFamilyPolicy: RequireDualStack: ${why}; or use PreferDualStack`;
}

/** A problem that may be fixed in the cloud: it is checked again without an edit of the Service. */
function lackingNow(message: string): ProblemError {
  return new ProblemError({ reason: 'ConfigurationInvalid', message });
}

function noSubnet({ where, remedy }: VipSubnets, family: Family): string {
  return `${where} has no IPv${family} subnet: ${remedy(family)}`;
}

/** Why a load balancer cannot be dual-stack, as far as is known beforehand. */
async function whyOne(
  { cloud }: PresentServiceScope,
  { provider, sourceRanges }: LoadBalancerSpec,
): Promise<string | undefined> {
  const version = await cloud.client.loadBalancing.apiVersion();
  const needed = isOvn(provider) ? WHOLE_VIPS : ADDITIONAL_VIPS;
  const is = `this cloud's Octavia has API version ${version ?? 'unknown'}`;
  if (!isAtLeast(version, needed)) return `${is}, and load balancers with two addresses need ${needed}`;
  if (sourceRanges.length === 0 || isAtLeast(version, WHOLE_VIPS)) return undefined;
  return `${is}, and spec.loadBalancerSourceRanges with two addresses needs ${WHOLE_VIPS}; remove it`;
}

async function canLimitTwo({ cloud }: PresentServiceScope, provider: string | undefined): Promise<boolean> {
  return !isOvn(provider) && isAtLeast(await cloud.client.loadBalancing.apiVersion(), WHOLE_VIPS);
}

function isAtLeast(version: string | undefined, needed: string): boolean {
  return version !== undefined && compareMicroversions(version, needed) >= 0;
}
