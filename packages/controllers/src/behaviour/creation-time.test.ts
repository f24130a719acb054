import { clusters } from '@fairway/api/kinds/cluster';
import { Informer } from '@fairway/kube/client/informer';
import type { HttpTransport } from '@fairway/openstack/http/transport';
import { type Duration, type LatencyProfile, REALISTIC_LATENCY } from '@fairway/simulator/http/latency';
import { DEFAULT_SETTLE_MS } from '@fairway/tenancy/cloud/project-cloud';
import { expect, test } from 'vitest';
import { joinOnceActive } from '../testing/offers.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TestFairway } from '../testing/test-fairway.ts';

const BOOT_MS = 5_000;
const NODE_COUNT = 3;

/** Each step always takes its mean duration. */
const STEADY_LATENCY: LatencyProfile = {
  operations: mapValues(REALISTIC_LATENCY.operations, meanOf),
  lifecycle: mapValues(REALISTIC_LATENCY.lifecycle, meanOf) as LatencyProfile['lifecycle'],
};

function meanOf(duration: Duration): number {
  return typeof duration === 'number' ? duration : (duration[0] + duration[1]) / 2;
}

function mapValues<V, W>(record: Readonly<Record<string, V>>, map: (value: V) => W): Record<string, W> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

/**
 * The time that the cloud itself takes from creating a network until its servers are nodes: the sum of the steps that
 * depend on each other.
 */
function cloudDurationMs(): number {
  const { operations, lifecycle } = STEADY_LATENCY;
  const calls = ['network POST', 'network POST /v2.0/subnets', 'compute POST /v2.1/servers'];
  const callDurationMs = calls.reduce((sum, call) => sum + Number(operations[call]), 0);
  return callDurationMs + Number(lifecycle.schedule) + Number(lifecycle.network) + Number(lifecycle.spawn) + BOOT_MS;
}

interface Call {
  readonly what: string;
  readonly beganMs: number;
  endedMs: number;
}

async function start(clock: SteppingClock, cloud: LatencyProfile) {
  const calls: Call[] = [];
  const recorded = (transport: HttpTransport): HttpTransport => ({
    async send(request, signal) {
      const what = `${request.method} ${new URL(request.url).pathname.replace(/^.*\/v2(\.\d)?\//, '')}`;
      const call: Call = { what, beganMs: clock.now(), endedMs: Number.NaN };
      calls.push(call);
      try {
        return await transport.send(request, signal);
      } finally {
        call.endedMs = clock.now();
      }
    },
    close: () => transport.close(),
  });
  const fairway = await TestFairway.start({
    clock,
    cloud: { latency: cloud },
    nodesJoin: false,
    settleMs: DEFAULT_SETTLE_MS,
    cloudTransport: recorded,
  });
  joinOnceActive(fairway, { bootMs: BOOT_MS });
  const of = (pattern: RegExp) => calls.filter(({ what }) => pattern.test(what));
  return { fairway, of };
}

test('a cluster adds less than three percent to the cloud’s time, and servers do not wait for the router', async () => {
  const clock = new SteppingClock();
  const { fairway, of } = await start(clock, STEADY_LATENCY);
  await using _ = fairway;
  // Logged in, with the catalogue loaded and the settling time over, as in a process that has been running for a while.
  await clock.pass(60_000);
  const beganMs = clock.now();

  await clock.during(fairway.readyCluster({ replicas: NODE_COUNT }));

  const tookMs = clock.now() - beganMs;
  const [servers, attached] = [of(/^POST servers$/), of(/^PUT .*add_router_interface$/)];
  process.stdout.write(`${tookMs} ms, of which the cloud takes ${cloudDurationMs()} ms\n`);
  expect(servers).toHaveLength(NODE_COUNT);
  expect(attached).toHaveLength(1);
  expect(Math.max(...servers.map((call) => call.beganMs))).toBeLessThan(attached[0]?.endedMs ?? 0);
  expect(tookMs).toBeLessThan(1.03 * cloudDurationMs());
});

test('servers do not wait for the router of a cluster whose control plane is still starting', async () => {
  const clock = new SteppingClock();
  const { fairway, of } = await start(clock, STEADY_LATENCY);
  await using _ = fairway;
  fairway.runtime.startMs = 1_200;
  await clock.pass(60_000);

  await clock.during(fairway.readyCluster({ replicas: NODE_COUNT }));

  const [servers, attached] = [of(/^POST servers$/), of(/^PUT .*add_router_interface$/)];
  expect(servers).toHaveLength(NODE_COUNT);
  expect(Math.max(...servers.map((call) => call.beganMs))).toBeLessThan(attached[0]?.endedMs ?? 0);
});

test('a cluster whose pool is created during its first pass is not ready before the pool is', async () => {
  const clock = new SteppingClock();
  const { fairway } = await start(clock, STEADY_LATENCY);
  await using _ = fairway;
  fairway.runtime.startMs = 1_200;
  await clock.pass(60_000);
  const ready: (number | undefined)[] = [];
  const informer = new Informer(fairway.client.resource(clusters), { clock });
  informer.addHandler({
    onUpdate: (_, { status }) => {
      if (status?.phase === 'Ready') ready.push(status.nodes?.ready);
    },
  });
  const stop = new AbortController();
  informer.start(stop.signal);
  await clock.during(fairway.createCluster());
  await clock.pass(500);
  await clock.during(fairway.createPool({ replicas: NODE_COUNT }));

  await clock.pass(120_000);

  expect(new Set(ready)).toEqual(new Set([NODE_COUNT]));
  stop.abort();
});

test('no server is created for a cluster if the cloud refuses to create its router', async () => {
  const clock = new SteppingClock();
  const { fairway, of } = await start(clock, STEADY_LATENCY);
  await using _ = fairway;
  const isRefused = { kind: 'answer', status: 403 } as const;
  fairway.cloud.faults.add({ service: 'network', method: 'POST', path: '/routers$', times: null, action: isRefused });
  await clock.during(fairway.createCluster());
  await clock.during(fairway.createPool({ replicas: NODE_COUNT }));

  await clock.pass(120_000);

  expect(of(/^POST routers$/).length).toBeGreaterThan(1);
  expect(of(/^POST servers$/)).toEqual([]);
});

test('a network step that ends while the cloud is being listed is not repeated', async () => {
  const clock = new SteppingClock();
  const { fairway, of } = await start(clock, STEADY_LATENCY);
  await using _ = fairway;
  const delayCalls = (method: string, path: string, delayMs: number) =>
    fairway.cloud.faults.add({ service: 'network', method, path, times: null, action: { kind: 'delay', delayMs } });
  // Rules are being created while the router is attached and the list of its ports is in flight.
  delayCalls('POST', '/security-group-rules$', 3_000);
  delayCalls('GET', '/ports$', 5_000);

  await clock.during(fairway.readyCluster({ replicas: NODE_COUNT }));

  expect(of(/^PUT .*add_router_interface$/)).toHaveLength(1);
  expect(of(/^POST security-group-rules$/)).toHaveLength(1);
  for (const creation of [/^POST networks$/, /^POST subnets$/, /^POST routers$/]) expect(of(creation)).toHaveLength(1);
});
