import { connect } from 'node:net';
import { FakeClock } from '@fairway/base/clock-fake';
import { Gauge, Registry } from 'prom-client';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { listenForMetrics, type MetricsListener } from '../../serve/metrics-listener.ts';

let registry: Registry;
let clock: FakeClock;
let listener: MetricsListener;
let readings: number;
beforeEach(async () => {
  registry = new Registry();
  clock = new FakeClock();
  readings = 0;
  const gauge = new Gauge({
    name: 'clusters',
    help: 'Clusters.',
    registers: [],
    collect() {
      readings++;
      this.set(7);
    },
  });
  registry.registerMetric(gauge);
  listener = await listenForMetrics({ host: '127.0.0.1', port: 0 }, registry, clock);
});
afterEach(() => listener.close());

function fetchMetrics(path: string, init?: RequestInit): Promise<Response> {
  return fetch(`http://127.0.0.1:${listener.port}${path}`, init);
}

test('responds to scrapers', async () => {
  const response = await fetchMetrics('/metrics');

  expect(response.headers.get('content-type')).toBe(registry.contentType);
  expect(await response.text()).toContain('\nclusters 7\n');
});

test('collects metrics once a second, however often they are scraped', async () => {
  for (let times = 0; times < 5; times++) await fetchMetrics('/metrics');
  expect(readings).toBe(1);

  await clock.advance(1_000);
  await fetchMetrics('/metrics');
  expect(readings).toBe(2);
});

test.each([
  ['/healthz', {}, 200],
  ['/metrics?x=1', { method: 'HEAD' }, 200],
  ['/metrics', { method: 'POST', body: 'x' }, 405],
  ['/api/v1/namespaces', {}, 404],
])('returns for %s with %o: %i', async (path, init, status) => {
  expect((await fetchMetrics(path, init)).status).toBe(status);
});

test('responds to probes while clients hold connections open', async () => {
  const openConnections = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const socket = connect(listener.port, '127.0.0.1');
      // The connection may be closed while it is being opened.
      socket.on('error', () => {});
      await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
      socket.write('GET /healthz HTTP/1.1\r\n');
      return socket;
    }),
  );
  onTestFinished(() => openConnections.forEach((socket) => socket.destroy()));

  for (let times = 0; times < 3; times++) expect((await fetchMetrics('/healthz')).status).toBe(200);
  await expect.poll(() => openConnections.filter((socket) => !socket.closed).length).toBeLessThanOrEqual(64);
});

test('reports an address in use, and the option that sets it', async () => {
  await expect(listenForMetrics({ host: '127.0.0.1', port: listener.port }, registry, clock)).rejects.toThrow(
    `--metrics-listen 127.0.0.1:${listener.port}: listen EADDRINUSE`,
  );
});
