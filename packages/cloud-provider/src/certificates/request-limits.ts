import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';

/** Reading requests takes time that other tenants' kubelets wait for. */
const JUDGED: Rate = { burst: 500, perMinute: 3_000 };
/** Each is a write to the tenant's API; who is denied can tell from one as well as from thousands. */
const DENIED: Rate = { burst: 50, perMinute: 30 };
/** Each may cost a list of the project's servers. A kubelet asks twice when it joins and then twice in months. */
const LOOKED_UP: Rate = { burst: 10, perMinute: 1 };

const MAX_CLUSTERS = 10_000;
const MAX_MACHINES = 100_000;

/** How much of what a tenant's cluster asks for is heard: whoever may make certificate requests there may make any number of them. */
export class RequestLimits {
  readonly #judged = new TokenBuckets(JUDGED, MAX_CLUSTERS);
  readonly #denied = new TokenBuckets(DENIED, MAX_CLUSTERS);
  readonly #lookedUp = new TokenBuckets(LOOKED_UP, MAX_MACHINES);

  /** Whether another request of the cluster may be read now. */
  mayJudge(clusterUid: string, nowMs: number): boolean {
    return this.#judged.take(clusterUid, nowMs);
  }

  mayDeny(clusterUid: string, nowMs: number): boolean {
    return this.#denied.take(clusterUid, nowMs);
  }

  /** Whether the machine's server may be looked for once more on behalf of whoever has proven to be the machine. */
  mayLookUp(machineUid: string, nowMs: number): boolean {
    return this.#lookedUp.take(machineUid, nowMs);
  }
}
