import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '@fairway/kube/kinds/generated/types';
import { Services } from '@fairway/kube/kinds/resources';
import { eventually, eventuallyDeleted } from '@fairway/kube/testing/eventually';
import type { Subject } from './subject.ts';

const namespace = 'default';
const BATCH_SIZE = 20;
const WAIT_OPTIONS = { deadlineMs: 1_200_000 };
/** The subject is considered idle after this time without a call. */
const QUIET_PERIOD_MS = 4_000;
/** The same for a new process, which first lists everything that its predecessor may have changed. */
const SETTLE_MS = 12_000;
const POLL_INTERVAL_MS = 50;

/** The cost of an operation. */
export interface Cost {
  /** Requests to the cloud until it was idle again. */
  readonly calls: number;
  /** Time until the user's request was fulfilled. */
  readonly seconds: number;
}

/** An operation on a subject; each operation starts from the result of the previous one. */
export interface Scenario {
  readonly name: string;
  /** Maximum number of calls. */
  readonly goal?: number;
  readonly run: (subject: Subject) => Promise<Cost>;
}

/** Scenarios on a cloud that creates a load balancer in seconds. */
export const SCENARIOS: readonly Scenario[] = [
  { name: 'new Service, 1 port', goal: 7, run: (subject) => measureCost(subject, () => create(subject, ['one'], 1)) },
  {
    name: 'new Service, 3 ports',
    goal: 7,
    run: (subject) => measureCost(subject, () => create(subject, ['three'], 3)),
  },
  {
    name: 'unrelated annotation',
    goal: 0,
    run: (subject) =>
      measureCost(subject, () => patch(subject, 'one', { metadata: { annotations: { note: 'changed' } } })),
  },
  {
    name: 'a port added',
    goal: 3,
    run: (subject) => {
      const spec = { ports: ports(2) };
      const added = nextCall(subject, 'POST', /\/(?:listeners|pools)$/);
      return measureCost(subject, async () => {
        await patch(subject, 'one', { spec });
        await added;
      });
    },
  },
  {
    name: `${BATCH_SIZE} new Services at once`,
    run: (subject) => measureCost(subject, () => create(subject, batchNames(), 1)),
  },
  {
    name: `a node added, ${BATCH_SIZE} Services (calls to Octavia)`,
    goal: BATCH_SIZE + 6,
    run: async (subject) => {
      const writeTimes = trackMemberWrites(subject);
      const before = callsOf(subject, 'load-balancer');
      await subject.addNode();
      const begin = performance.now();
      await waitUntilQuiet(subject);
      const seconds = Math.max(writeTimes.lastMs() - begin, 0) / 1000;
      return { calls: callsOf(subject, 'load-balancer') - before, seconds };
    },
  },
  {
    name: `restart with ${BATCH_SIZE + 2} Services`,
    run: (subject) => measureCost(subject, () => subject.restart(), SETTLE_MS),
  },
  { name: 'one Service deleted', goal: 2, run: (subject) => measureCost(subject, () => remove(subject, ['three'])) },
  {
    name: `${BATCH_SIZE} Services deleted at once`,
    run: (subject) => measureCost(subject, () => remove(subject, batchNames())),
  },
];

/** Scenarios on a cloud that takes a minute. */
export const SLOW_SCENARIOS: readonly Scenario[] = [
  {
    name: 'two new Services at once',
    goal: 14,
    run: (subject) => measureCost(subject, () => create(subject, ['a', 'b'], 1)),
  },
  { name: 'two more', goal: 14, run: (subject) => measureCost(subject, () => create(subject, ['c', 'd'], 1)) },
];

function batchNames(): string[] {
  return Array.from({ length: BATCH_SIZE }, (_, index) => `many-${index}`);
}

async function measureCost(
  subject: Subject,
  operate: () => Promise<unknown>,
  quietPeriodMs = QUIET_PERIOD_MS,
): Promise<Cost> {
  await waitUntilQuiet(subject);
  const before = callsOf(subject);
  const begin = performance.now();
  await operate();
  const seconds = (performance.now() - begin) / 1000;
  await waitUntilQuiet(subject, quietPeriodMs);
  return { calls: callsOf(subject) - before, seconds };
}

/** Counts the subject's calls so far, to all services or to one service. */
function callsOf(subject: Subject, service?: string): number {
  const own = subject.cloud.calls.counts().filter((call) => subject.isOwn(call));
  const selected = own.filter((call) => service === undefined || call.service === service);
  return selected.reduce((sum, { count }) => sum + count, 0);
}

/** Resolves when the subject has finished its startup calls. */
export function waitForStartup(subject: Subject): Promise<void> {
  return waitUntilQuiet(subject, SETTLE_MS);
}

async function waitUntilQuiet(subject: Subject, quietPeriodMs = QUIET_PERIOD_MS): Promise<void> {
  let lastCount = callsOf(subject);
  let sinceMs = performance.now();
  while (performance.now() - sinceMs < quietPeriodMs) {
    await sleep(POLL_INTERVAL_MS);
    const now = callsOf(subject);
    if (now === lastCount) continue;
    lastCount = now;
    sinceMs = performance.now();
  }
}

/** Tracks when Octavia last received a list of members. */
function trackMemberWrites({ cloud }: Subject): { lastMs(): number } {
  let lastMs = Number.NEGATIVE_INFINITY;
  cloud.calls.onReceived(({ method, path }) => {
    if (method !== 'GET' && /\/pools\/[^/]+\/members/.test(path)) lastMs = performance.now();
  });
  return { lastMs: () => lastMs };
}

function nextCall({ cloud }: Subject, method: string, path: RegExp): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = cloud.calls.onReceived((call) => {
    if (call.method !== method || !path.test(call.path)) return;
    end();
    resolve();
  });
  return promise;
}

async function create({ api }: Subject, names: readonly string[], count: number): Promise<void> {
  for (const name of names) {
    const spec = { type: 'LoadBalancer', selector: { app: name }, ports: ports(count) };
    await api.resource(Services).create({ metadata: { name, namespace }, spec });
  }
  await eventually(
    api.resource(Services),
    { namespace },
    (all) =>
      all.filter(({ metadata, status }) => names.includes(metadata.name ?? '') && hasAddress(status)).length ===
      names.length,
    WAIT_OPTIONS,
  );
}

function hasAddress(status: Service['status']): boolean {
  return (status?.loadBalancer?.ingress?.length ?? 0) > 0;
}

function ports(count: number): { name: string; port: number; protocol: string }[] {
  return Array.from({ length: count }, (_, index) => ({ name: `p${index}`, port: 80 + index, protocol: 'TCP' }));
}

async function patch({ api }: Subject, name: string, value: object): Promise<void> {
  await api.resource(Services).patch(name, { type: 'strategic', value }, { namespace });
}

async function remove({ api }: Subject, names: readonly string[]): Promise<void> {
  for (const name of names) await api.resource(Services).delete(name, { namespace });
  await Promise.all(names.map((name) => eventuallyDeleted(api.resource(Services), { namespace, name }, WAIT_OPTIONS)));
}
