import { RecentMap } from '@fairway/base/recent-map';

interface Rate {
  /** How many at once after a pause. */
  readonly burst: number;
  readonly perMinute: number;
}

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
  readonly #judged = new Buckets(JUDGED, MAX_CLUSTERS);
  readonly #denied = new Buckets(DENIED, MAX_CLUSTERS);
  readonly #lookedUp = new Buckets(LOOKED_UP, MAX_MACHINES);

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

/** A token bucket for each key; those that were longest not asked for are forgotten, and so full again. */
class Buckets {
  readonly #rate: Rate;
  readonly #buckets: RecentMap<{ tokens: number; atMs: number }>;

  constructor(rate: Rate, maxKeys: number) {
    this.#rate = rate;
    this.#buckets = new RecentMap(maxKeys);
  }

  take(key: string, nowMs: number): boolean {
    const { burst, perMinute } = this.#rate;
    const known = this.#buckets.get(key) ?? { tokens: burst, atMs: nowMs };
    const tokens = Math.min(burst, known.tokens + (Math.max(nowMs - known.atMs, 0) * perMinute) / 60_000);
    const isThere = tokens >= 1;
    this.#buckets.set(key, { tokens: isThere ? tokens - 1 : tokens, atMs: nowMs });
    return isThere;
  }
}
