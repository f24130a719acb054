import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { metricsServerVersion } from '@fairway/addons/versions';
import type {
  APIService,
  AutoscalingV2HorizontalPodAutoscaler,
  Deployment,
  Node,
} from '@fairway/kube/kinds/generated/types';
import { APIServices, Deployments, HorizontalPodAutoscalers, Nodes } from '@fairway/kube/kinds/resources';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { testbed } from './hosts/testbed.ts';
import { OneNodeCluster } from './in-cluster/one-node-cluster.ts';
import { realNodeTools } from './real-nodes/requirements.ts';
import { BUSYBOX } from './real-nodes/tenant-network.ts';

const { offered, kubectl, title } = await realNodeTools();
/** The binary, built with `CGO_ENABLED=0 go build sigs.k8s.io/metrics-server/cmd/metrics-server`. */
const program = process.env['NODETEST_METRICS_SERVER'] ?? '';
const described = program === '' ? '(skipped: no program in NODETEST_METRICS_SERVER)' : title;

const namespace = 'default';
const REGISTRATION = 'v1beta1.metrics.k8s.io';
const SHORT_WAIT = { deadlineMs: 240_000 };
const busy = { name: 'busy', namespace };
const labels = { app: 'busy' };

const DEPLOYMENT = {
  metadata: busy,
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        containers: [
          {
            name: 'main',
            image: BUSYBOX,
            command: ['sh', '-c', 'trap exit TERM; while true; do :; done & wait'],
            resources: { requests: { cpu: '20m' }, limits: { cpu: '50m' } },
          },
        ],
      },
    },
  },
};

const AUTOSCALER = {
  metadata: busy,
  spec: {
    minReplicas: 1,
    maxReplicas: 2,
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: busy.name },
    metrics: [
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 100 } } },
    ],
  },
};

function isAvailable({ status }: APIService): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Available' && is === 'True') ?? false;
}

describe.skipIf(offered === undefined || program === '')(`metrics-server on a real node ${described}`, () => {
  let folder: string;
  let cluster: OneNodeCluster;

  beforeAll(async () => {
    if (offered === undefined) return;
    folder = mkdtempSync(join(tmpdir(), 'fairway-metrics-server-'));
    process.env['KUBEBUILDER_ASSETS'] = offered.folder;
    testbed('build');
    testbed('image', program, 'metrics-server/metrics-server', `v${metricsServerVersion(offered.version)}`);
    cluster = await OneNodeCluster.start(folder, offered, kubectl);
    await cluster.serveServices();
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  function diagnoseFailure(): void {
    onTestFailed(async () => {
      process.stderr.write(await cluster.diagnosis('kube-system', 'deployment/metrics-server'));
      const { stdout } = await cluster.fairwayKubectl('get', 'cluster', '-o', 'yaml');
      process.stderr.write(stdout);
    });
  }

  test('is registered with a certificate that kube-apiserver verifies, and becomes Ready', async () => {
    diagnoseFailure();
    const services = cluster.client.resource<APIService>(APIServices);

    const { spec } = await eventuallyObject(services, { name: REGISTRATION }, isAvailable, SHORT_WAIT);

    expect(spec?.caBundle).toBeDefined();
    expect(spec).not.toHaveProperty('insecureSkipTLSVerify');
    const state = '{.status.addons[?(@.name=="metrics-server")].state}=Ready';
    const ready = await cluster.fairwayKubectl('wait', 'cluster/management', `--for=jsonpath=${state}`, '--timeout=5m');
    expect(ready).toMatchObject({ code: 0 });
  });

  test('serves a HorizontalPodAutoscaler, which scales on its metrics', async () => {
    diagnoseFailure();
    await cluster.client.resource<Deployment>(Deployments).create(DEPLOYMENT);
    const autoscalers = cluster.client.resource<AutoscalingV2HorizontalPodAutoscaler>(HorizontalPodAutoscalers);
    await autoscalers.create(AUTOSCALER);

    const { status } = await eventuallyObject(
      autoscalers,
      busy,
      (each) => each.status?.desiredReplicas === 2,
      SHORT_WAIT,
    );

    // A busy loop uses its whole limit, which is two and a half times its request.
    const [metric] = status?.currentMetrics ?? [];
    expect(metric?.resource?.current.averageUtilization).toBeGreaterThan(100);
  });

  test('serves kubectl top for nodes and pods', async () => {
    diagnoseFailure();
    const nodes = await cluster.kubectl('top', 'nodes', '--no-headers');
    const pods = await cluster.kubectl('top', 'pods', '--no-headers', '--selector', 'app=busy');

    expect(nodes).toMatchObject({ code: 0, stdout: expect.stringMatching(new RegExp(`^${cluster.node} +\\d+m .*Mi`)) });
    expect(pods).toMatchObject({ code: 0, stdout: expect.stringMatching(/^busy-\S+ +\d+m +\d+Mi/) });
  });

  test('reads kubelets at the node’s address, with full verification', async () => {
    diagnoseFailure();
    const { spec } = await cluster.client
      .resource<Deployment>(Deployments)
      .get('metrics-server', { namespace: 'kube-system' });
    const node = await cluster.client.resource<Node>(Nodes).get(cluster.node);
    const address = node.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address;
    const log = await cluster.kubectl('--namespace', 'kube-system', 'logs', 'deployment/metrics-server');

    expect(spec.template.spec?.containers[0]?.args?.join(' ')).not.toContain('insecure');
    expect(address).toMatch(/^10\.1\./);
    expect(log).toMatchObject({ code: 0 });
    expect(log.stdout + log.stderr).not.toContain('x509');
  });
});
