/** An insufficient quota, as reported by the cloud. */
export interface QuotaUse {
  /** The service's name for the quota: `cores`, `port`. */
  readonly resource: string;
  /** The amount that the call requested. */
  readonly requested?: number | undefined;
  readonly used?: number | undefined;
  readonly limit?: number | undefined;
}

/** Nova: `Quota exceeded for cores, ram: Requested 2, 8192, but already used 20, 4096 of 20, 8192 cores, ram`. */
const NOVA =
  /quota exceeded for ([a-z_ ,]{1,200}): requested ([0-9, -]{1,100}), but already used ([0-9, ]{1,100}) of ([0-9, -]{1,100})/i;
/** Neutron: `Quota exceeded for resources: ['port'].` */
const NEUTRON = /quota exceeded for resources: \[([^\]]{1,200})\]/i;
/**
 * Nova, for a Neutron quota or for items that are not summed up: `Maximum number of ports exceeded`, `too many
 * server groups`.
 */
const NAMELESS = /(?:maximum number of|too many) ([a-z ]{1,40}?)(?: exceeded| in group|\.|$)/i;
/** Cinder: `Requested 100G, quota is 1000G and 950G has been consumed.` */
const GIGABYTES = /requested ([0-9]{1,12})G, quota is ([0-9]{1,12})G and ([0-9]{1,12})G has been consumed/i;
/** Cinder: `Maximum number of volumes allowed (10) exceeded for quota 'volumes'.` */
const COUNTED = /maximum number of [a-z]{1,40} allowed \(([0-9]{1,12})\) exceeded for quota '([a-z_]{1,60})/i;
/** Manila: `Maximum number of shares allowed (50) either per project/user or share type quota is exceeded.` */
const SHARES = /maximum number of (shares|snapshots) allowed \(([0-9]{1,12})\) either per/i;

/** Octavia: `Quota has been met for resources: Load Balancer`. */
const OCTAVIA = /quota has been met for resources: ([a-z0-9 ,]{1,200})/i;

/** Extracts exceeded quotas from a service's message; empty if none are recognized. */
export function quotasOf(message: string): readonly QuotaUse[] {
  const nova = NOVA.exec(message);
  if (nova) {
    const [, names = '', requested = '', used = '', limits = ''] = nova;
    return listed(names).map((resource, i) => ({
      resource,
      // For a range, as with several servers in one call, this is the minimum.
      requested: countAt(requested, i),
      used: countAt(used, i),
      limit: countAt(limits, i),
    }));
  }
  const neutron = NEUTRON.exec(message)?.[1];
  if (neutron !== undefined) {
    return [...neutron.matchAll(/[a-z_]+/g)].map(([resource]) => ({ resource }));
  }
  const balancing = OCTAVIA.exec(message)?.[1];
  if (balancing !== undefined) {
    return listed(balancing).map((noun) => ({ resource: noun.toLowerCase().replaceAll(' ', '_') }));
  }
  const volume = GIGABYTES.exec(message);
  if (volume) {
    const [requested, limit, used] = volume.slice(1).map(Number);
    return [{ resource: 'gigabytes', requested, used, limit }];
  }
  const counted = COUNTED.exec(message);
  if (counted) return [{ resource: counted[2] ?? '', limit: Number(counted[1]) }];
  const shares = SHARES.exec(message);
  if (shares) return [{ resource: shares[1] ?? '', limit: Number(shares[2]) }];
  const nameless = /quota|maximum number/i.test(message) ? NAMELESS.exec(message)?.[1] : undefined;
  return nameless === undefined ? [] : [{ resource: nameless.trim().replaceAll(' ', '_').replace(/s$/, '') }];
}

function listed(text: string): string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

function countAt(text: string, index: number): number | undefined {
  const count = Number.parseInt(listed(text)[index] ?? '', 10);
  return Number.isNaN(count) ? undefined : count;
}
