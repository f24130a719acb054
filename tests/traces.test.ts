import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { loadKubeConnection } from '@fairway/kube/client/kubeconfig-loader';
import { resourcePath } from '@fairway/kube/client/resource-path';
import { apiVersionOf, type KubeObject, type ResourceType } from '@fairway/kube/object/meta';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RunningFairway } from './session/running-fairway.ts';
import { drawTrace } from './traces/draw-trace.ts';
import { OtlpReceiver } from './traces/otlp-receiver.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CLIENT_SPAN = '00f067aa0ba902b7';
/** Where to write the trace's picture: npm run generate:trace-picture. */
const PICTURE = process.env['FAIRWAY_TRACE_PICTURE'];
const POLL_OPTIONS = { interval: 500 };

describe('tracing from a tenant’s write to the OpenStack calls that it causes', () => {
  let folder: string;
  let receiver: OtlpReceiver;
  let fairway: RunningFairway;
  let api: KubeClient;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairway-traces-'));
    receiver = await OtlpReceiver.open();
    const config = join(folder, 'fairway.yaml');
    await writeFile(config, `listen: 127.0.0.1:0\ntracing:\n  endpoint: ${receiver.url}\n  sampleRatio: 0\n`);
    process.env['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'] = `${receiver.url}/v1/metrics`;
    process.env['OTEL_METRIC_EXPORT_INTERVAL'] = '1000';
    fairway = await RunningFairway.start(join(folder, 'home'), '--config', config);
    const { transport } = await loadKubeConnection({ path: fairway.kubeconfig });
    api = new KubeClient(new HttpsTransport(transport));
  });

  afterAll(async () => {
    api?.close();
    await fairway?.stop();
    await receiver?.close();
    await rm(folder, { recursive: true });
  });

  async function create<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<void> {
    await api.raw({
      method: 'POST',
      path: resourcePath(type, { namespace: 'default' }),
      headers: { 'content-type': 'application/json', traceparent: `00-${TRACE}-${CLIENT_SPAN}-01` },
      body: JSON.stringify({ apiVersion: apiVersionOf(type), kind: type.kind, ...object }),
    });
  }

  test('also pushes metrics, with the same names as in /metrics', async () => {
    const page = await (await api.raw({ method: 'GET', path: '/metrics' })).text();
    const names = [...page.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name);
    // Only metrics with values.
    const reported = names.filter((name) => new RegExp(`^${name}(_count)?[{ ]`, 'm').test(page));

    await expect.poll(() => reported.filter((name) => !receiver.metrics.has(name)), POLL_OPTIONS).toEqual([]);
    expect(reported.length).toBeGreaterThan(20);
    expect([...receiver.metrics].filter((name) => !names.includes(name))).toEqual([]);
  });

  test('records a client’s trace if the client requests it', async () => {
    await create(clusters, { metadata: { name: 'demo' }, spec: { plan: 'free' } } as Cluster);
    await create(nodePools, {
      metadata: { name: 'demo-general' },
      spec: { clusterName: 'demo', flavor: 'b3-8', replicas: 2 },
    } as NodePool);

    const readyMachines = async () => {
      const { items } = await api.resource(machines).list({ namespace: 'default' });
      return items.filter(({ status }) => status?.phase === 'Ready').length;
    };
    await expect.poll(readyMachines, POLL_OPTIONS).toBe(2);
    await expect.poll(() => receiver.namesIn(TRACE).has('reconcile machine'), POLL_OPTIONS).toBe(true);
    await fairway.stop();

    const names = receiver.namesIn(TRACE);
    expect([...names]).toEqual(
      expect.arrayContaining([
        'create clusters.fairway.dev',
        'create nodepools.fairway.dev',
        'reconcile cluster',
        'reconcile node-pool',
        'POST machines',
        'reconcile machine',
        'POST /servers',
      ]),
    );
    const request = receiver.spans.find(({ name }) => name === 'create clusters.fairway.dev');
    expect(request?.parentSpanId).toBe(CLIENT_SPAN);
    const servers = receiver.spans.filter(({ name }) => name === 'POST /servers');
    expect(servers).toHaveLength(2);
    for (const { attributes } of servers) {
      const keys = attributes.map(({ key }) => key);
      expect(keys).toEqual(
        expect.arrayContaining([
          'openstack.service',
          'openstack.project_id',
          'openstack.request_id',
          'http.response.status_code',
        ]),
      );
    }
  }, 240_000);

  test('connects each span to a parent in the trace, or to the client’s span', () => {
    const traceSpans = receiver.spans.filter(({ traceId }) => traceId === TRACE);
    const ids = new Set([CLIENT_SPAN, ...traceSpans.map(({ spanId }) => spanId)]);
    const lost = traceSpans.filter(({ parentSpanId }) => parentSpanId === undefined || !ids.has(parentSpanId));

    expect(traceSpans.length).toBeGreaterThan(10);
    expect(lost.map(({ name }) => name)).toEqual([]);
  });

  test.skipIf(PICTURE === undefined)('can draw the trace (skipped: FAIRWAY_TRACE_PICTURE is not set)', async () => {
    const drawing = drawTrace(receiver.spans);
    await writeFile(PICTURE ?? '', drawing);

    expect(drawing).toContain('POST /servers');
  });

  test('does not record unrequested traces', () => {
    expect(receiver.spans.filter(({ traceId }) => traceId !== TRACE)).toEqual([]);
  });

  test('does not record secrets', async () => {
    const texts = await Promise.all([readFile(fairway.cloudsYaml, 'utf8'), readFile(fairway.kubeconfig, 'utf8')]);
    const secrets = texts.flatMap((text) =>
      [...text.matchAll(/(?:password|secret|token|key-data): "?([^\s"]{8,})/g)].map(([, secret = '']) => secret),
    );

    expect(secrets.length).toBeGreaterThan(0);
    expect(secrets.filter((secret) => receiver.text.includes(secret))).toEqual([]);
    expect(receiver.text).not.toMatch(/gAAAA|BEGIN |Bearer/);
  });
});
