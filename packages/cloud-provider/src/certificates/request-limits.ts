import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';

/** Parsing CSRs takes time that other tenants' kubelets wait for. */
const DECIDED: Rate = { burst: 500, perMinute: 3_000 };
/** Each is a write to the tenant's API; a single denial is as informative as thousands. */
const DENIED: Rate = { burst: 50, perMinute: 30 };
/** Each may cost a list of the project's servers. A kubelet requests two certificates when it joins and then two in months. */
const LOOKED_UP: Rate = { burst: 10, perMinute: 1 };

const MAX_CLUSTERS = 10_000;
const MAX_MACHINES = 100_000;

/** Rate limits of CSRs per tenant's cluster: a user who may create CSRs may create any number of them. */
export class RequestLimits {
  readonly #decided = new TokenBuckets(DECIDED, MAX_CLUSTERS);
  readonly #denied = new TokenBuckets(DENIED, MAX_CLUSTERS);
  readonly #lookedUp = new TokenBuckets(LOOKED_UP, MAX_MACHINES);

  /** Whether another CSR of the cluster may be parsed now. */
  mayDecide(clusterUid: string, nowMs: number): boolean {
    return this.#decided.take(clusterUid, nowMs);
  }

  mayDeny(clusterUid: string, nowMs: number): boolean {
    return this.#denied.take(clusterUid, nowMs);
  }

  /** Whether the machine's server may be looked up again for a requester that has proven to be the machine. */
  mayQueryCloud(machineUid: string, nowMs: number): boolean {
    return this.#lookedUp.take(machineUid, nowMs);
  }
}
