import type { Clock } from '@fairway/base/clock';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { QuotaUse } from '@fairway/openstack/http/quota-use';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';

/** Machines of a pool fail side by side: one answer serves all of them. */
const SHARED_FOR_MS = 10_000;

/** Numbers of quotas by the names in `QuotaUse`. */
type Numbers = ReadonlyMap<string, { readonly used: number; readonly limit: number }>;

type Clients = Pick<OpenStackClient, 'network' | 'compute' | 'loadBalancing' | 'session'>;
type Read = (client: Clients) => Promise<Numbers>;

/** Completes errors about quotas: Neutron, Nova for Neutron, and Octavia name the quota without its numbers. */
export class QuotaLookup {
  readonly #client: Clients;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #asked = new Map<Read, { readonly atMs: number; readonly answer: Promise<Numbers> }>();

  constructor(client: Clients, clock: Pick<Clock, 'now'>) {
    this.#client = client;
    this.#clock = clock;
  }

  /** The error with the numbers of its quotas, `wanted` more of which were asked for. Any other error, and one whose numbers the cloud does not tell, as it is. */
  async explain(error: unknown, wanted: number): Promise<unknown> {
    if (!isOpenStackError(error, 'quotaExceeded')) return error;
    if (error.quotas.length === 0 || error.quotas.every(({ used }) => used !== undefined)) return error;
    try {
      const numbers = await this.#numbers(error.service === 'load-balancer' ? readLoadBalancing : readNumbers);
      return error.withQuotas(error.quotas.map((quota) => complete(quota, numbers, wanted)));
    } catch {
      // Without numbers the message is as true.
      return error;
    }
  }

  #numbers(read: Read): Promise<Numbers> {
    const nowMs = this.#clock.now();
    const known = this.#asked.get(read);
    if (known !== undefined && nowMs - known.atMs <= SHARED_FOR_MS) return known.answer;
    const answer = read(this.#client);
    this.#asked.set(read, { atMs: nowMs, answer });
    return answer;
  }
}

function complete(quota: QuotaUse, numbers: Numbers, wanted: number): QuotaUse {
  const known = numbers.get(quota.resource);
  if (quota.used !== undefined || known === undefined) return quota;
  return { requested: wanted, ...quota, ...known };
}

/** Octavia does not say how much is used: what it refuses for its quota is used up. */
async function readLoadBalancing({ loadBalancing, session }: Clients): Promise<Numbers> {
  const limits = await loadBalancing.quotas(await session.projectId());
  return new Map([...limits].map(([name, limit]) => [name, { limit, used: limit }]));
}

async function readNumbers({ network, compute }: Clients): Promise<Numbers> {
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
