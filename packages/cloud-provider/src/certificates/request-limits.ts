import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';

/** CPU time spent on parsing CSRs delays other tenants' kubelets. */
const DECISION_RATE: Rate = { burst: 500, perMinute: 3_000 };
/** Each denial is a write to the tenant's API; one denial is as informative as thousands. */
const DENIAL_RATE: Rate = { burst: 50, perMinute: 30 };
/**
 * Each lookup may cost a list of the project's servers. A kubelet requests two certificates when it joins and then two
 * every few months.
 */
const LOOKUP_RATE: Rate = { burst: 10, perMinute: 1 };

const MAX_CLUSTERS = 10_000;
const MAX_MACHINES = 100_000;

/** Rate limits for CSRs per tenant cluster: a user who may create CSRs may create any number of them. */
export class RequestLimits {
  readonly #decisions = new TokenBuckets(DECISION_RATE, MAX_CLUSTERS);
  readonly #denials = new TokenBuckets(DENIAL_RATE, MAX_CLUSTERS);
  readonly #lookups = new TokenBuckets(LOOKUP_RATE, MAX_MACHINES);

  /** Whether another CSR from the cluster may be parsed now. */
  mayDecide(clusterUid: string, nowMs: number): boolean {
    return this.#decisions.tryTake(clusterUid, nowMs);
  }

  mayDeny(clusterUid: string, nowMs: number): boolean {
    return this.#denials.tryTake(clusterUid, nowMs);
  }

  /** Whether the machine's server may be looked up again for a requester that has proven that it is the machine. */
  mayQueryCloud(machineUid: string, nowMs: number): boolean {
    return this.#lookups.tryTake(machineUid, nowMs);
  }
}
