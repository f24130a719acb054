import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { afterEach, describe, expect, test } from 'vitest';
import { MetricsPusher } from '../../otlp/metrics-pusher.ts';
import { pushMetrics } from '../../otlp/push-metrics.ts';

const START = Date.parse('2026-11-26T12:00:00Z');

/** A number in OTLP's JSON format. */
interface DataPoint {
  readonly attributes: readonly object[];
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
  readonly asDouble?: number;
  readonly count?: number;
  readonly sum?: number;
  readonly bucketCounts?: readonly number[];
  readonly explicitBounds?: readonly number[];
}

interface PushedMetric {
  readonly name: string;
  readonly sum?: { readonly dataPoints: readonly DataPoint[]; readonly isMonotonic: boolean };
  readonly gauge?: { readonly dataPoints: readonly DataPoint[] };
  readonly histogram?: { readonly dataPoints: readonly DataPoint[] };
}

interface MetricsRequest {
  readonly resourceMetrics: readonly {
    readonly resource: { readonly attributes: readonly object[] };
    readonly scopeMetrics: readonly { readonly metrics: readonly PushedMetric[] }[];
  }[];
}

describe('a receiver over HTTP', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  test('gets the metrics served at /metrics in OTLP format', async () => {
    const firstPush = Promise.withResolvers<{ readonly path: string; readonly body: MetricsRequest }>();
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        firstPush.resolve({
          path: request.url ?? '',
          body: JSON.parse(Buffer.concat(chunks).toString()) as MetricsRequest,
        });
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const registry = new Registry();
    const registers = [registry];
    new Counter({ name: 'calls_total', help: 'Calls.', labelNames: ['code'], registers }).inc({ code: '2xx' }, 3);
    new Gauge({ name: 'size', help: 'Size.', registers }).set(7);
    const seconds = new Histogram({ name: 'seconds', help: 'Time.', buckets: [0.1, 1], registers });
    for (const value of [0.05, 0.5, 0.6, 5]) seconds.observe(value);
    const clock = new FakeClock(START);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/metrics`;
    const options = { registry, instance: 'a', version: '1.2.3', clock, log: silentLogger };
    const pusher = pushMetrics({ url, headers: {}, everyMs: 60_000 }, options);

    await clock.advance(60_000);
    const { path, body } = await firstPush.promise;
    await clock.advance(1);

    const [pushed] = body.resourceMetrics;
    const metrics = Object.fromEntries(
      (pushed?.scopeMetrics.flatMap(({ metrics: pushedMetrics }) => pushedMetrics) ?? []).map((each) => [
        each.name,
        each,
      ]),
    );
    expect(path).toBe('/v1/metrics');
    expect(pushed?.resource.attributes).toEqual(
      expect.arrayContaining([
        { key: 'service.name', value: { stringValue: 'fairway' } },
        { key: 'service.instance.id', value: { stringValue: 'a' } },
      ]),
    );
    expect(metrics['calls_total']?.sum).toMatchObject({
      isMonotonic: true,
      dataPoints: [
        {
          asDouble: 3,
          attributes: [{ key: 'code', value: { stringValue: '2xx' } }],
          startTimeUnixNano: `${START}000000`,
          timeUnixNano: `${START + 60_000}000000`,
        },
      ],
    });
    expect(metrics['size']?.gauge).toMatchObject({ dataPoints: [{ asDouble: 7 }] });
    expect(metrics['seconds']?.histogram).toMatchObject({
      dataPoints: [{ count: 4, sum: 6.15, explicitBounds: [0.1, 1], bucketCounts: [1, 2, 1] }],
    });
    await pusher.close();
  });
});

describe('an unreachable receiver', () => {
  function open(respond: () => ExportResult) {
    const clock = new FakeClock(START);
    const at: number[] = [];
    const pusher = new MetricsPusher({
      read: () => Promise.resolve([]),
      exporter: {
        export(_, callback) {
          at.push((clock.now() - START) / 1000);
          callback(respond());
        },
        shutdown: () => Promise.resolve(),
      },
      resource: resourceFromAttributes({}),
      version: 'test',
      everyMs: 10_000,
      clock,
      log: silentLogger,
    });
    return { clock, at, pusher };
  }

  test('is retried with backoff, and gets metrics at the usual interval once it is back', async () => {
    let code = ExportResultCode.FAILED;
    const { clock, at, pusher } = open(() => ({ code }));

    await clock.advance(86_400_000);
    const dayPoint = at.length;
    code = ExportResultCode.SUCCESS;
    await clock.advance(330_000);
    const backlogPoint = at.length - dayPoint;

    expect(at.slice(0, 6)).toEqual([10, 20, 30, 50, 90, 170]);
    expect(dayPoint).toBeLessThan(300);
    expect(backlogPoint).toBeGreaterThanOrEqual(3);
    await pusher.close();
  });

  test('gets the last metrics at shutdown if it is reachable', async () => {
    const { at, pusher } = open(() => ({ code: ExportResultCode.SUCCESS }));

    await pusher.close();

    expect(at).toEqual([0]);
  });
});
