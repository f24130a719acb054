import type { Clock } from '@fairway/base/clock';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { QuotaUse } from '@fairway/openstack/http/quota-use';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';

/** Machines of a pool fail side by side: one answer serves all of them. */
const SHARED_FOR_MS = 10_000;

/** Numbers of quotas by the names in `QuotaUse`. */
type Numbers = ReadonlyMap<string, { readonly used: number; readonly limit: number }>;

/** Completes errors about quotas: Neutron, and Nova for Neutron, name the quota without its numbers. */
export class QuotaLookup {
  readonly #client: Pick<OpenStackClient, 'network' | 'compute'>;
  readonly #clock: Pick<Clock, 'now'>;
  #asked: { readonly atMs: number; readonly answer: Promise<Numbers> } | undefined;

  constructor(client: Pick<OpenStackClient, 'network' | 'compute'>, clock: Pick<Clock, 'now'>) {
    this.#client = client;
    this.#clock = clock;
  }

  /** The error with the numbers of its quotas, `wanted` more of which were asked for. Any other error, and one whose numbers the cloud does not tell, as it is. */
  async explain(error: unknown, wanted: number): Promise<unknown> {
    if (!isOpenStackError(error, 'quotaExceeded')) return error;
    if (error.quotas.length === 0 || error.quotas.every(({ used }) => used !== undefined)) return error;
    try {
      const numbers = await this.#numbers();
      return error.withQuotas(error.quotas.map((quota) => complete(quota, numbers, wanted)));
    } catch {
      // Without numbers the message is as true.
      return error;
    }
  }

  #numbers(): Promise<Numbers> {
    const nowMs = this.#clock.now();
    if (this.#asked === undefined || nowMs - this.#asked.atMs > SHARED_FOR_MS) {
      this.#asked = { atMs: nowMs, answer: readNumbers(this.#client) };
    }
    return this.#asked.answer;
  }
}

function complete(quota: QuotaUse, numbers: Numbers, wanted: number): QuotaUse {
  const known = numbers.get(quota.resource);
  if (quota.used !== undefined || known === undefined) return quota;
  return { requested: wanted, ...quota, ...known };
}

async function readNumbers({ network, compute }: Pick<OpenStackClient, 'network' | 'compute'>): Promise<Numbers> {
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
