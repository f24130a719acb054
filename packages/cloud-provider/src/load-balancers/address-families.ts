import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import { compareMicroversions } from '@fairway/openstack/microversion';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import type { BalancerEvents } from './balancer-events.ts';
import type { DesiredContext } from './desired.ts';
import { vipsOf } from './families.ts';
import { type FittedWishes, fitTo, lacking } from './fitted-wishes.ts';
import { KnownSubnets } from './known-subnets.ts';
import { isOvn } from './provider-limits.ts';
import type { LivingScope } from './service-scope.ts';
import { allowedRanges } from './source-ranges.ts';
import { placeIn, type VipPlace, type VipSubnets, vipSubnets } from './vip-places.ts';
import type { Family, Wishes } from './wishes.ts';

/** What a new load balancer is to have of what is asked. */
export interface Placed extends Pick<DesiredContext, 'memberSubnets'> {
  readonly wishes: Wishes;
  /** Undefined: where the wishes say. */
  readonly place?: VipPlace;
  readonly found?: VipSubnets;
}

export type Fitted = Omit<FittedWishes, 'open'> &
  Pick<DesiredContext, 'memberSubnets'> & {
    /** What the Service must have, and has not. */
    readonly problem: string | undefined;
  };

/** Octavia's API versions: with additional VIPs, and with those whose families count for ranges and that OVN has too. */
const ADDITIONAL_VIPS = '2.26';
const WHOLE_VIPS = '2.27';

/** Finds addresses of the IP families that a Service names. One of IPv4 alone costs no look at the cloud. */
export class AddressFamilies {
  readonly #events: BalancerEvents;
  readonly #subnets = new KnownSubnets();

  constructor(events: BalancerEvents) {
    this.#events = events;
  }

  /** For a new load balancer. Rejects where a family is missing that it must have. */
  async place(scope: LivingScope, wishes: Wishes): Promise<Placed> {
    const [first = 4, second] = wishes.families;
    if (first === 4 && second === undefined) return { wishes };
    const found = await vipSubnets(scope, wishes.vip, this.#subnets);
    const single = this.#single(scope, wishes, found);
    if (second === undefined) return single();
    const why = await whyOne(scope, wishes);
    if (why !== undefined) return single(why);
    const place = placeIn(found, wishes.vip, wishes.families);
    if (place === undefined)
      return single(noSubnet(found, found.subnets.some((each) => each.family === first) ? second : first));
    return {
      wishes,
      place,
      found,
      memberSubnets: await this.#memberSubnets(scope, wishes, [place.subnetID, place.additional?.subnetID]),
    };
  }

  /** What is to be tried after the provider refused both: rejects with the error where that is not what it is about. */
  async placeOne(scope: LivingScope, { wishes, place, found }: Placed, error: unknown): Promise<Placed> {
    const isRefused = isOpenStackError(error) && error.status === 501;
    if (place?.additional === undefined || found === undefined || !isRefused) throw error;
    return this.#single(scope, wishes, found)(`the cloud's provider can't do more: ${error.detail}`);
  }

  /** For a load balancer that exists. Rejects with ServiceRefused where it has no address that is asked for. */
  async fit(scope: LivingScope, wishes: Wishes, loadBalancer: LoadBalancer): Promise<Fitted> {
    const present = vipsOf(loadBalancer);
    const isUsual = [wishes.families, present.map(({ family }) => family)].every(isIPv4Alone);
    if (isUsual) return { wishes, vips: present, missing: undefined, memberSubnets: undefined, problem: undefined };
    const canLimit = present.length > 1 && (await canLimitTwo(scope, wishes.provider));
    const fitted = fitTo(loadBalancer, wishes, canLimit || present.length === 1);
    const memberSubnets = await this.#memberSubnets(
      scope,
      wishes,
      present.map(({ subnetID }) => subnetID),
    );
    this.#tellOpen(scope, loadBalancer, fitted);
    const problem = await this.#tellMissing(scope, loadBalancer, wishes, fitted.missing);
    const named = wishes.vip.subnetID === undefined ? undefined : await this.#subnets.get(scope, wishes.vip.subnetID);
    // The network's own subnet of the family has been taken in its place.
    const isOther = named !== undefined && !fitted.wishes.families.includes(named.family);
    const vip = { ...fitted.wishes.vip, ...(isOther && { subnetID: undefined }) };
    return { ...fitted, wishes: { ...fitted.wishes, vip }, memberSubnets, problem };
  }

  #single(scope: LivingScope, wishes: Wishes, found: VipSubnets): (why?: string) => Promise<Placed> {
    return async (why) => {
      const [first = 4] = wishes.families;
      const families = [first];
      if (why !== undefined && wishes.needsAllFamilies) throw lackingNow(required(why));
      const place = placeIn(found, wishes.vip, families);
      if (place === undefined) throw lackingNow(`spec.ipFamilies: ${noSubnet(found, first)}`);
      if (why !== undefined) this.#tellSingle(scope, first, why);
      const memberSubnets = await this.#memberSubnets(scope, wishes, [place.subnetID]);
      const sourceRanges = allowedRanges(wishes.sourceRanges, families, families);
      return { wishes: { ...wishes, families, sourceRanges }, place, memberSubnets };
    };
  }

  #memberSubnets(scope: LivingScope, { memberSubnetID }: Wishes, others: readonly (string | undefined)[]) {
    return this.#subnets.all(scope, [memberSubnetID, ...others]);
  }

  #tellSingle({ service, tenant }: LivingScope, family: Family, why: string): void {
    const message = `only IPv${family} of spec.ipFamilies is served: ${why}`;
    this.#events.warning(tenant, service, 'LoadBalancerSingleStack', message);
  }

  #tellOpen({ service, tenant }: LivingScope, { id }: LoadBalancer, { open }: FittedWishes): void {
    if (open === undefined) return;
    const message = `load balancer ${id} keeps its address ${open.address}, which the Service does not ask for, and is reached there too`;
    this.#events.warning(tenant, service, 'LoadBalancerUnchanged', message, open.address);
  }

  /** Resolves with what keeps the Service from being as it must be. */
  async #tellMissing(
    scope: LivingScope,
    loadBalancer: LoadBalancer,
    wishes: Wishes,
    missing: Family | undefined,
  ): Promise<string | undefined> {
    if (missing === undefined) return undefined;
    const why = (await whyOne(scope, wishes)) ?? lacking(loadBalancer, missing);
    if (wishes.needsAllFamilies) return required(why);
    this.#tellSingle(scope, missing === 4 ? 6 : 4, why);
    return undefined;
  }
}

function isIPv4Alone([first, ...others]: readonly Family[]): boolean {
  return first === 4 && others.length === 0;
}

function required(why: string): string {
  return `spec.ipFamilyPolicy: RequireDualStack: ${why}; or use PreferDualStack`;
}

/** What somebody may change in the cloud: it is looked at again without an edit of the Service. */
function lackingNow(message: string): ProblemError {
  return new ProblemError({ reason: 'ConfigurationInvalid', message });
}

function noSubnet({ where, remedy }: VipSubnets, family: Family): string {
  return `${where} has no subnet of IPv${family}: ${remedy(family)}`;
}

/** Why a load balancer can't have addresses of two families, as far as that shows beforehand. */
async function whyOne({ cloud }: LivingScope, { provider, sourceRanges }: Wishes): Promise<string | undefined> {
  const version = await cloud.client.loadBalancing.apiVersion();
  const needed = isOvn(provider) ? WHOLE_VIPS : ADDITIONAL_VIPS;
  const is = `this cloud's Octavia has API version ${version ?? 'unknown'}`;
  if (!isAtLeast(version, needed)) return `${is}, and load balancers with two addresses need ${needed}`;
  if (sourceRanges.length === 0 || isAtLeast(version, WHOLE_VIPS)) return undefined;
  return `${is}, and spec.loadBalancerSourceRanges with two addresses needs ${WHOLE_VIPS}; leave it out`;
}

async function canLimitTwo({ cloud }: LivingScope, provider: string | undefined): Promise<boolean> {
  return !isOvn(provider) && isAtLeast(await cloud.client.loadBalancing.apiVersion(), WHOLE_VIPS);
}

function isAtLeast(version: string | undefined, needed: string): boolean {
  return version !== undefined && compareMicroversions(version, needed) >= 0;
}
