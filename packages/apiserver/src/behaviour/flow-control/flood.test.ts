import { FakeClock } from '@fairway/base/clock-fake';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { describe, expect, it } from 'vitest';
import type { UserInfo } from '../../auth/user.ts';
import { writeFlowControlObjects } from '../../flow-control/upkeep.ts';
import { ALL_KINDS, MANAGEMENT_KINDS } from '../../kinds/builtin-kinds.ts';
import { builtinDefinitions } from '../../kinds/definitions.ts';
import type { AdmissionPlugin } from '../../server/admission.ts';
import { ApiServer } from '../../server/api-server.ts';
import { admin, testVersion } from '../../server/test-server.ts';
import { MemoryStore } from '../../store/memory-store.ts';

/** How long a write takes, because of a slow disk or a webhook. */
const WRITE_MS = 100;
const FLOOD_MS = 30_000;
const LIMITS = { maxReadingRequests: 20, maxMutatingRequests: 20, maxMutatingRequestsPerUser: 30 };

interface Tally {
  done: number;
  refused: number;
  longestMs: number;
}

/** A server with slow writes, and clients that write as fast as they can. */
class FloodedServer {
  readonly clock = new FakeClock();
  readonly server: ApiServer;
  #serial = 0;

  constructor(isConfigurable: boolean) {
    const slow: AdmissionPlugin = {
      name: 'slow',
      mutate: ({ resource }) => (resource.plural === 'configmaps' ? this.clock.sleep(WRITE_MS) : undefined),
    };
    this.server = new ApiServer({
      store: new MemoryStore(),
      resources: isConfigurable ? ALL_KINDS : MANAGEMENT_KINDS,
      definitions: builtinDefinitions(),
      clock: this.clock,
      random: () => 0.5,
      version: testVersion,
      limits: LIMITS,
      admission: [slow],
    });
  }

  async open(): Promise<void> {
    const client = new KubeClient(this.server.transport(admin), { clock: this.clock });
    await client.raw({ method: 'POST', path: '/api/v1/namespaces', body: JSON.stringify({ metadata: { name: 'a' } }) });
    if (!this.server.flowControl.isConfigurable) return;
    await writeFlowControlObjects({ client, reader: this.server.reader, clock: this.clock });
  }

  /** Creates one object after another until `untilMs`; after a 429, waits for as long as `Retry-After` specifies. */
  async write(user: UserInfo, untilMs: number, tally: Tally): Promise<void> {
    const transport = this.server.transport(user);
    while (this.clock.now() < untilMs) {
      const startMs = this.clock.now();
      const body = JSON.stringify({ metadata: { name: `c${++this.#serial}` } });
      const response = await transport.request({ method: 'POST', path: '/api/v1/namespaces/a/configmaps', body });
      await response.text();
      if (response.status === 429) {
        tally.refused++;
        await this.clock.sleep(Number(response.headers['retry-after']) * 1000);
      } else {
        tally.done++;
        tally.longestMs = Math.max(tally.longestMs, this.clock.now() - startMs);
      }
    }
  }

  /**
   * A flood of writes by `users`, with 60 concurrent requests each, alongside one tenant and one controller that write
   * sequentially.
   */
  async run(users: readonly UserInfo[], tenant: UserInfo): Promise<Record<'flood' | 'tenant' | 'controller', Tally>> {
    await this.open();
    const tally = () => ({ done: 0, refused: 0, longestMs: 0 });
    const tallies = { flood: tally(), tenant: tally(), controller: tally() };
    const untilMs = this.clock.now() + FLOOD_MS;
    const runs = users.flatMap((user) => Array.from({ length: 60 }, () => this.write(user, untilMs, tallies.flood)));
    await this.clock.advance(1000);
    runs.push(this.write(tenant, untilMs, tallies.tenant), this.write(admin, untilMs, tallies.controller));
    await this.clock.advance(2 * FLOOD_MS);
    await Promise.all(runs);
    return tallies;
  }
}

function user(username: string, ...groups: string[]): UserInfo {
  return { username, groups: ['system:authenticated', ...groups] };
}

function account(namespace: string, name: string): UserInfo {
  return user(`system:serviceaccount:${namespace}:${name}`, 'system:serviceaccounts');
}

describe('writes from clients that have disconnected', () => {
  it.each([true, false])('keep their seats while they run (in a cluster: %s)', async (isConfigurable) => {
    const flooded = new FloodedServer(isConfigurable);
    await flooded.open();
    const transport = flooded.server.transport(user('mallory'));
    const write = async (name: number) => {
      const body = JSON.stringify({ metadata: { name: `c${name}` } });
      const path = '/api/v1/namespaces/a/configmaps?timeout=0.001s';
      return (await transport.request({ method: 'POST', path, body })).status;
    };
    const statuses: number[] = [];
    for (let name = 0; name < 50; name++) {
      const status = write(name);
      await flooded.clock.advance(1);
      statuses.push(await status);
    }
    const timeoutCount = statuses.filter((status) => status === 504).length;

    // Within half the duration of a write, no more writes start than the priority level has seats.
    expect(timeoutCount).toBeLessThan(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(50 - timeoutCount);
    await flooded.clock.advance(WRITE_MS);
    expect(flooded.server.traffic.inUse('mutatingRequests')).toBe(0);
    expect(flooded.server.flowControl.schemas.every(({ counts }) => counts.executing === 0)).toBe(true);
  });
});

describe('a flood of writes', () => {
  it.each([
    { by: 'three users', flood: [1, 2, 3].map((n) => user(`mallory-${n}`)), tenant: user('alice') },
    { by: 'service accounts', flood: [1, 2, 3].map((n) => account('evil', `${n}`)), tenant: account('team', 'ci') },
  ])('by $by does not delay other tenants or controllers in a cluster', async ({ flood, tenant }) => {
    const tallies = await new FloodedServer(true).run(flood, tenant);

    // 29 s of writes that take 100 ms each, one after another: a controller never waits.
    expect(tallies.controller).toEqual({ done: 290, refused: 0, longestMs: WRITE_MS });
    // A priority level has few seats until it borrows some: a tenant waits for one, at worst
    // behind the flood's queues.
    expect(tallies.tenant.refused).toBe(0);
    expect(tallies.tenant.done).toBeGreaterThan(120);
    expect(tallies.tenant.longestMs).toBeLessThan(1000);
    // The flood gets the remaining seats, so none are wasted.
    expect(tallies.flood.done).toBeGreaterThan(3_500);
  });

  it('by all service accounts in a namespace counts as a flood by one user if the flow-control kinds are not served', async () => {
    const flood = Array.from({ length: 10 }, (_, n) => account('evil', `${n}`));
    const flooded = new FloodedServer(false);
    const tallies = await flooded.run(flood, account('team', 'ci'));

    expect(tallies.controller).toEqual({ done: 290, refused: 0, longestMs: WRITE_MS });
    expect(tallies.tenant.refused).toBe(0);
    expect(tallies.tenant.done).toBeGreaterThan(120);
    // At most 30 of the flood's writes are running or waiting at any time.
    expect(tallies.flood.refused).toBeGreaterThan(100);
    const groups = await flooded.server.transport(admin).request({ method: 'GET', path: '/apis' });
    expect(await groups.text()).not.toContain('flowcontrol');
  });
});
