import { EventRecorder } from '@fairway/kube/events/recorder';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { ControllerDependencies } from '../dependencies.ts';
import { Budget } from './budget.ts';
import { DefinitionKeeper } from './definition-keeper.ts';
import { type FeedOptions, PoolFeed } from './pool-feed.ts';
import { Refusals } from './refusals.ts';

/** What is kept of one cluster while its connection lasts; losing it costs a few reads. */
export class ClusterMemory {
  readonly tenant: TenantCluster;
  readonly budget: Budget;
  readonly refusals: Refusals;
  readonly events: EventRecorder;
  /** What was said last of what does not work. */
  told: string | undefined;
  /** What was done so far to take it away; a look at what others hold counts for several. */
  removalSteps = 0;
  isRemoved = false;
  readonly #dependencies: Pick<ControllerDependencies, 'clock' | 'random' | 'log'>;
  readonly #following: Pick<FeedOptions, 'onChange' | 'isPool'>;
  #definition: DefinitionKeeper | undefined;
  #feed: { readonly uid: string; readonly pools: PoolFeed } | undefined;

  constructor(
    tenant: TenantCluster,
    dependencies: Pick<ControllerDependencies, 'clock' | 'random' | 'log'>,
    following: Pick<FeedOptions, 'onChange' | 'isPool'>,
  ) {
    const { clock, random, log } = dependencies;
    this.tenant = tenant;
    this.#dependencies = dependencies;
    this.#following = following;
    this.budget = new Budget(clock);
    this.refusals = new Refusals(clock);
    this.events = new EventRecorder(tenant.client, { component: 'fairway', clock, random, log });
  }

  /** Followed from the first time on. */
  get definition(): DefinitionKeeper {
    this.isRemoved = false;
    this.removalSteps = 0;
    this.#definition ??= new DefinitionKeeper(this.tenant, this.#dependencies.clock, this.#following.onChange);
    return this.#definition;
  }

  /** Of the definition with this UID: another one has other objects. */
  feedOf(uid = ''): PoolFeed {
    if (this.#feed?.uid === uid) return this.#feed.pools;
    this.stopFeed();
    const pools = new PoolFeed(this.tenant, { ...this.#dependencies, ...this.#following });
    this.#feed = { uid, pools };
    return pools;
  }

  stopFeed(): void {
    this.#feed?.pools.stop();
    this.#feed = undefined;
  }
}
