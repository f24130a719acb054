import { bootstrapPolicySteps } from '@fairway/kube/auth/bootstrap-policy/reconciliation';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ConfigMap, EndpointSlice, Namespace, Service } from '@fairway/kube/kinds/generated/types';
import {
  ConfigMaps,
  EndpointSlices,
  Namespaces,
  PriorityClasses,
  ServiceAccounts,
  Services,
} from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import type { ObjectReader } from '@fairway/kube/server/object-reader';

export interface ClusterFacts {
  readonly clusterName: string;
  /** First address of the service range. */
  readonly serviceAddress: string;
  readonly endpoint: { readonly host: string; readonly port: number };
  readonly caBundle: string;
}

const SYSTEM_NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** What kube-apiserver and kubeadm put into every cluster: created where it is missing, never overwritten. */
export async function createBootstrapObjects(
  client: KubeClient,
  reader: ObjectReader,
  facts: ClusterFacts,
): Promise<void> {
  for (const name of SYSTEM_NAMESPACES) {
    await createIfMissing(client, reader, Namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    } as Namespace);
    // The controller would make it a moment later: too late for the first pods.
    await createIfMissing(client, reader, ServiceAccounts, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default', namespace: name },
    });
  }
  for (const step of bootstrapPolicySteps(reader)) {
    const resource = client.resource(step.type);
    const { name = '', namespace } = step.object.metadata;
    if (step.action === 'recreate') await resource.delete(name, namespace === undefined ? {} : { namespace });
    if (step.action === 'update') await resource.update(step.object);
    else await resource.create(step.object);
  }
  for (const { name, value, description } of SYSTEM_PRIORITIES) {
    const priorityClass = {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value,
      description,
    };
    await createIfMissing(client, reader, PriorityClasses, priorityClass);
  }
  await createIfMissing(client, reader, Services, kubernetesService(facts));
  await createIfMissing(client, reader, EndpointSlices, kubernetesEndpoints(facts));
  await createIfMissing(client, reader, ConfigMaps, clusterInfo(facts));
}

/** https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/#priorityclass */
const SYSTEM_PRIORITIES = [
  {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
  {
    name: 'system-node-critical',
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
];

function kubernetesService({ serviceAddress, endpoint }: ClusterFacts): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { component: 'apiserver', provider: 'kubernetes' },
    },
    spec: {
      type: 'ClusterIP',
      clusterIP: serviceAddress,
      clusterIPs: [serviceAddress],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: endpoint.port }],
      sessionAffinity: 'None',
    },
  };
}

function kubernetesEndpoints({ endpoint }: ClusterFacts): EndpointSlice {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'kubernetes', namespace: 'default', labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    addressType: /^[0-9.]+$/.test(endpoint.host) ? 'IPv4' : 'FQDN',
    endpoints: [{ addresses: [endpoint.host], conditions: { ready: true } }],
    ports: [{ name: 'https', port: endpoint.port, protocol: 'TCP' }],
  };
}

/** Lets `kubeadm join` find the cluster; holds nothing secret. */
function clusterInfo({ endpoint, caBundle }: ClusterFacts): ConfigMap {
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: '',
        cluster: {
          server: `https://${endpoint.host}:${endpoint.port}`,
          'certificate-authority-data': Buffer.from(caBundle).toString('base64'),
        },
      },
    ],
    contexts: [],
    users: [],
    'current-context': '',
    preferences: {},
  };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'cluster-info', namespace: 'kube-public' },
    data: { kubeconfig: JSON.stringify(kubeconfig) },
  };
}

async function createIfMissing<T extends KubeObject>(
  client: KubeClient,
  reader: ObjectReader,
  type: ResourceType<T>,
  object: T,
): Promise<void> {
  if (reader.get(type, object.metadata.namespace ?? '', object.metadata.name ?? '') !== undefined) return;
  try {
    await client.resource(type).create(object);
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
  }
}
