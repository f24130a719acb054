import { ConfigMaps, Pods } from '@fairway/kube/kinds/resources';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';

/** Kinds of objects in the load. */
export const KINDS = { configmaps: ConfigMaps, pods: Pods } as const satisfies Record<string, ResourceType>;
export type Plural = keyof typeof KINDS;

/** Size of one list response. */
export const OBJECTS_PER_NAMESPACE = 500;

export function namespaceOf(index: number): string {
  return `bench-${Math.floor(index / OBJECTS_PER_NAMESPACE)}`;
}

export function nameOf(index: number): string {
  return `object-${index}`;
}

export function objectOf(plural: Plural, index: number): KubeObject {
  return plural === 'pods' ? pod(index) : configMap(index);
}

/** About 1 KiB, like a small configuration file. */
function configMap(index: number): KubeObject {
  const lines = Array.from({ length: 16 }, (_, line) => `setting-${line}-of-object-${index} = ${'x'.repeat(24)}`);
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: nameOf(index), namespace: namespaceOf(index), labels: labels(index) },
    data: { 'application.conf': lines.join('\n') },
  } as KubeObject;
}

/** A Pod as created by the ReplicaSet of a web application with two containers. */
function pod(index: number): KubeObject {
  const probe = (path: string) => ({ httpGet: { path, port: 8080 }, initialDelaySeconds: 5, periodSeconds: 10 });
  const container = (name: string) => ({
    name,
    image: `registry.example.com/shop/${name}:v1.${index % 20}.0`,
    args: ['--listen=:8080', `--shard=${index}`],
    env: Array.from({ length: 8 }, (_, at) => ({ name: `SETTING_${at}`, value: `value-${at}-of-${index}` })),
    ports: [{ name: 'http', containerPort: 8080 }],
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
    livenessProbe: probe('/healthz'),
    readinessProbe: probe('/readyz'),
    volumeMounts: [{ name: 'config', mountPath: '/etc/shop', readOnly: true }],
    securityContext: { allowPrivilegeEscalation: false, runAsNonRoot: true, capabilities: { drop: ['ALL'] } },
  });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: nameOf(index),
      namespace: namespaceOf(index),
      labels: labels(index),
      annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '8080' },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `shop-${index % 50}`,
          uid: '7f9c24e8-3b1a-4e0a-9c52-8e1f6f9b2d11',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      containers: [container('shop'), container('cache')],
      volumes: [{ name: 'config', configMap: { name: `shop-${index % 50}` } }],
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 100,
              podAffinityTerm: {
                labelSelector: { matchLabels: { app: `shop-${index % 50}` } },
                topologyKey: 'kubernetes.io/hostname',
              },
            },
          ],
        },
      },
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ],
    },
  } as KubeObject;
}

function labels(index: number): Record<string, string> {
  return { app: `shop-${index % 50}`, 'pod-template-hash': '6d4cf56db6', tier: index % 2 === 0 ? 'web' : 'batch' };
}
