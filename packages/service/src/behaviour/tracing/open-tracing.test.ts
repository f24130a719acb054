import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '@fairway/base/clock';
import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import { Registry } from 'prom-client';
import { afterEach, expect, test } from 'vitest';
import { openTracing, type Tracing } from '../../tracing/open-tracing.ts';

const stack: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of stack.splice(0).reverse()) await each();
});

interface OpenedTracing {
  readonly tracing: Tracing;
  readonly registry: Registry;
  readonly sizes: readonly number[];
}

/** Starts a receiver that has a scripted response. */
async function open(respond: (response: ServerResponse) => void, clock: Clock = systemClock): Promise<OpenedTracing> {
  const sizes: number[] = [];
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      sizes.push(Number(request.headers['content-length'] ?? 0));
      respond(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stack.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const tracing = openTracing(
    {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
      headers: {},
      sampling: { isParentBased: false, ratio: 1 },
    },
    { version: 'test', clock, random: Math.random, log: silentLogger },
  );
  const registry = new Registry();
  tracing.addMetrics(registry);
  return { tracing, registry, sizes };
}

function record({ tracing }: OpenedTracing, spans: number): void {
  for (let n = 0; n < spans; n++) tracing.tracer.work('reconcile cluster', [], {})?.end();
}

async function exportCounts({ registry }: OpenedTracing): Promise<Record<string, number>> {
  const [metric] = await registry.getMetricsAsJSON();
  return Object.fromEntries((metric?.values ?? []).map(({ labels, value }) => [labels['result'], value]));
}

test('sends all remaining spans at shutdown, in any number of batches', async () => {
  const opened = await open((response) => response.writeHead(200).end('{}'));
  record(opened, 2_000);

  await opened.tracing.close();

  expect(opened.sizes).toHaveLength(4);
  expect(await exportCounts(opened)).toEqual({ exported: 2_000, lost: 0 });
});

test('tries an unresponsive receiver once, counts excess spans, and waits two seconds for the receiver at shutdown', async () => {
  const clock = new FakeClock();
  const opened = await open(() => {}, clock);
  record(opened, 10_000);
  expect(await exportCounts(opened)).toEqual({ exported: 0, lost: 10_000 - 2_048 });
  await expect.poll(() => opened.sizes.length).toBe(1);

  const isClosed = opened.tracing.close();
  await clock.advance(2_000);
  await isClosed;

  expect(opened.sizes).toHaveLength(1);
});

test('does not retry a receiver that refuses spans', async () => {
  const opened = await open((response) => response.writeHead(403).end('x'.repeat(10_000)));
  record(opened, 600);
  await expect.poll(() => exportCounts(opened)).toMatchObject({ exported: 0, lost: 512 });
  record(opened, 1_000);

  await opened.tracing.close();

  expect(opened.sizes).toHaveLength(1);
  expect(await exportCounts(opened)).toEqual({ exported: 0, lost: 1_600 });
});
