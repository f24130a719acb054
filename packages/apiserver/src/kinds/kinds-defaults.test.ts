import type { Job, Pod, Secret } from '@fairway/kube/kinds/generated/types';
import { describe, expect, it } from 'vitest';
import { pullPolicyOf } from './pod/pod-defaults.ts';
import { post, serverOfKinds } from './testing/kinds-server.ts';

const PODS = '/api/v1/NS/pods';
const TEMPLATE = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'a' }] } };
const SELECTOR = { matchLabels: { app: 'a' } };

// tests/contract/kubernetes compares these results with kube-apiserver's.
describe('defaulting', () => {
  it.each([
    [
      '/apis/apps/v1/NS/deployments',
      { selector: SELECTOR, template: TEMPLATE },
      {
        replicas: 1,
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      },
    ],
    [
      '/apis/apps/v1/NS/statefulsets',
      { selector: SELECTOR, template: TEMPLATE },
      {
        podManagementPolicy: 'OrderedReady',
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      },
    ],
    [
      '/apis/apps/v1/NS/daemonsets',
      { selector: SELECTOR, template: TEMPLATE },
      { updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } },
    ],
    [
      '/api/v1/NS/services',
      { ports: [{ port: 80 }] },
      {
        type: 'ClusterIP',
        sessionAffinity: 'None',
        internalTrafficPolicy: 'Cluster',
        ports: [{ port: 80, targetPort: 80, protocol: 'TCP' }],
      },
    ],
    [
      '/api/v1/NS/services',
      { type: 'LoadBalancer', ports: [{ port: 80 }] },
      { externalTrafficPolicy: 'Cluster', allocateLoadBalancerNodePorts: true },
    ],
    [
      '/apis/networking.k8s.io/v1/NS/networkpolicies',
      { podSelector: {}, egress: [{}] },
      { policyTypes: ['Ingress', 'Egress'] },
    ],
    [
      '/api/v1/NS/persistentvolumeclaims',
      { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } },
      { volumeMode: 'Filesystem', resources: { requests: { storage: '1Gi' } } },
    ],
    [
      PODS,
      {
        containers: [
          { name: 'a', image: 'a:1', ports: [{ containerPort: 80 }], readinessProbe: { httpGet: { port: 80 } } },
        ],
      },
      {
        dnsPolicy: 'ClusterFirst',
        restartPolicy: 'Always',
        enableServiceLinks: true,
        containers: [
          {
            imagePullPolicy: 'IfNotPresent',
            ports: [{ protocol: 'TCP' }],
            readinessProbe: { periodSeconds: 10, failureThreshold: 3, httpGet: { path: '/', scheme: 'HTTP' } },
          },
        ],
      },
    ],
    [
      PODS,
      { hostNetwork: true, containers: [{ name: 'a', image: 'a', ports: [{ containerPort: 80 }] }] },
      { containers: [{ ports: [{ hostPort: 80 }] }] },
    ],
    [
      PODS,
      {
        containers: [
          { name: 'a', image: 'a', resources: { limits: { cpu: 1, memory: '1024Mi' }, requests: { cpu: 0.5 } } },
        ],
      },
      {
        containers: [{ resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m', memory: '1Gi' } } }],
      },
    ],
  ])('%s', async (path, spec, expected) => {
    const { status, body } = await post(await serverOfKinds(), path, { spec });

    expect(status).toBe(201);
    expect(body.spec).toMatchObject(expected);
  });

  it('makes a Job select its own pods by its UID', async () => {
    const template = { spec: { restartPolicy: 'Never', containers: TEMPLATE.spec.containers } };
    const { body } = await post<Job>(await serverOfKinds(), '/apis/batch/v1/NS/jobs', { spec: { template } });
    const { uid } = body.metadata;

    expect(body.spec).toMatchObject({
      completions: 1,
      parallelism: 1,
      backoffLimit: 6,
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
      template: { metadata: { labels: { 'job-name': 'a', 'controller-uid': uid } } },
    });
  });

  it('accepts text for Secrets and returns bytes', async () => {
    const { body } = await post<Secret>(await serverOfKinds(), '/api/v1/NS/secrets', { stringData: { a: 'é' } });

    expect(body).toMatchObject({ type: 'Opaque', data: { a: 'w6k=' } });
    expect(body.stringData).toBeUndefined();
  });

  it.each([
    [{}, 'BestEffort'],
    [{ requests: { cpu: '1' } }, 'Burstable'],
    [{ limits: { cpu: '1' } }, 'Burstable'],
    [{ limits: { cpu: '1', memory: '1Gi' } }, 'Guaranteed'],
    [{ limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1000m' } }, 'Guaranteed'],
  ])('puts a pod with %o into QoS class %s', async (resources, qosClass) => {
    const spec = { containers: [{ name: 'a', image: 'a', resources }] };
    const { body } = await post<Pod>(await serverOfKinds(), PODS, { spec });

    expect(body.status).toEqual({ phase: 'Pending', qosClass });
  });

  it.each([
    ['nginx', 'Always'],
    ['nginx:latest', 'Always'],
    ['nginx:1.27', 'IfNotPresent'],
    ['registry:5000/nginx', 'Always'],
    ['registry:5000/nginx:1', 'IfNotPresent'],
    ['nginx@sha256:abc', 'IfNotPresent'],
  ])('sets the pull policy of the image %s to %s', (image, policy) => {
    expect(pullPolicyOf(image)).toBe(policy);
  });

  it('labels a namespace with its name', async () => {
    const server = await serverOfKinds();
    const { body } = await server.call('GET', '/api/v1/namespaces/default');

    expect(body.metadata.labels).toEqual({ 'kubernetes.io/metadata.name': 'default' });
  });
});
