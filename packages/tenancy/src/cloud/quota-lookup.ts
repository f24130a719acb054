import type { Clock } from '@fairway/base/clock';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { QuotaUse } from '@fairway/openstack/http/quota-use';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';

/** Machines in a pool fail concurrently, so they share one response. */
const RESULT_TTL_MS = 10_000;

/** Quota usage and limits, by the names in `QuotaUse`. */
type QuotaUsage = ReadonlyMap<string, { readonly used: number; readonly limit: number }>;

type Clients = Pick<OpenStackClient, 'network' | 'compute' | 'loadBalancing' | 'session'>;
type Read = (client: Clients) => Promise<QuotaUsage>;

/** Adds numbers to quota errors: Neutron, Nova when it reports Neutron's quotas, and Octavia name only the quota. */
export class QuotaLookup {
  readonly #client: Clients;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #cached = new Map<Read, { readonly atMs: number; readonly result: Promise<QuotaUsage> }>();

  constructor(client: Clients, clock: Pick<Clock, 'now'>) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * The error with the usage and limit of each exceeded quota; `requestedCount` more were requested. Other errors, and
   * errors for which the cloud returns no numbers, are returned unchanged.
   */
  async failureMessage(error: unknown, requestedCount: number): Promise<unknown> {
    if (!isOpenStackError(error, 'quotaExceeded')) return error;
    if (error.quotas.length === 0 || error.quotas.every(({ used }) => used !== undefined)) return error;
    try {
      const numbers = await this.#usageOf(error.service === 'load-balancer' ? readLoadBalancingQuotas : readQuotas);
      return error.withQuotas(error.quotas.map((quota) => withUsage(quota, numbers, requestedCount)));
    } catch {
      // Even without numbers, the message is correct.
      return error;
    }
  }

  #usageOf(read: Read): Promise<QuotaUsage> {
    const nowMs = this.#clock.now();
    const known = this.#cached.get(read);
    if (known !== undefined && nowMs - known.atMs <= RESULT_TTL_MS) return known.result;
    const result = read(this.#client);
    this.#cached.set(read, { atMs: nowMs, result });
    return result;
  }
}

function withUsage(quota: QuotaUse, numbers: QuotaUsage, requestedCount: number): QuotaUse {
  const known = numbers.get(quota.resource);
  if (quota.used !== undefined || known === undefined) return quota;
  return { requested: requestedCount, ...quota, ...known };
}

/** Octavia does not return the usage: if it refuses a request because of a quota, that quota is used up. */
async function readLoadBalancingQuotas({ loadBalancing, session }: Clients): Promise<QuotaUsage> {
  const limits = await loadBalancing.quotas(await session.projectId());
  return new Map([...limits].map(([name, limit]) => [name, { limit, used: limit }]));
}

async function readQuotas({ network, compute }: Clients): Promise<QuotaUsage> {
  const [details, limits] = await Promise.allSettled([network.quotaDetails(), compute.limits()]);
  const numbers = new Map<string, { used: number; limit: number }>();
  if (details.status === 'fulfilled') {
    for (const [name, item] of Object.entries(details.value)) {
      if (item) numbers.set(name, { limit: item.limit, used: item.used + item.reserved });
    }
  }
  if (limits.status === 'fulfilled') {
    const { maxServerGroups, totalServerGroupsUsed } = limits.value;
    numbers.set('server_group', { limit: maxServerGroups, used: totalServerGroupsUsed });
  }
  return numbers;
}
