import { EventRecorder } from '@fairway/kube/events/recorder';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { ControllerDependencies } from '../dependencies.ts';
import { Budget } from './budget.ts';
import { DefinitionReconciler } from './definition-reconciler.ts';
import { type FeedOptions, PoolFeed } from './pool-feed.ts';
import { Refusals } from './refusals.ts';

/** State of one cluster while its connection lasts; losing it costs a few reads. */
export class ClusterMemory {
  readonly tenant: TenantCluster;
  readonly budget: Budget;
  readonly refusals: Refusals;
  readonly events: EventRecorder;
  /** The last reported problem. */
  reported: string | undefined;
  /** Progress of the removal so far; checking objects with other parties' finalizers counts as several steps. */
  removalSteps = 0;
  isRemoved = false;
  readonly #dependencies: Pick<ControllerDependencies, 'clock' | 'random' | 'log'>;
  readonly #following: Pick<FeedOptions, 'onChange' | 'isPool'>;
  #definition: DefinitionReconciler | undefined;
  #feed: { readonly uid: string; readonly pools: PoolFeed } | undefined;

  constructor(
    tenant: TenantCluster,
    dependencies: Pick<ControllerDependencies, 'clock' | 'random' | 'log'>,
    options: Pick<FeedOptions, 'onChange' | 'isPool'>,
  ) {
    const { clock, random, log } = dependencies;
    this.tenant = tenant;
    this.#dependencies = dependencies;
    this.#following = options;
    this.budget = new Budget(clock);
    this.refusals = new Refusals(clock);
    this.events = new EventRecorder(tenant.client, { component: 'fairway', clock, random, log });
  }

  /** Watched from its first use. */
  get definition(): DefinitionReconciler {
    this.isRemoved = false;
    this.removalSteps = 0;
    this.#definition ??= new DefinitionReconciler(this.tenant, this.#dependencies.clock, this.#following.onChange);
    return this.#definition;
  }

  /** The feed for the definition with this UID; another definition would have different objects. */
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
