import { requestHeaderSettings } from '@fairway/apiserver/aggregation/front-proxy';
import { writeBootstrapPolicy } from '@fairway/apiserver/auth/bootstrap-policy/write-policy';
import { AUTHENTICATION_CONFIG } from '@fairway/apiserver/auth/delegated/client-authority';
import { createIfMissing } from '@fairway/kube/client/create-if-missing';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type {
  ConfigMap,
  EndpointSlice,
  Endpoints as EndpointsObject,
  Namespace,
  Service,
  ServiceCIDR,
} from '@fairway/kube/kinds/generated/types';
import {
  ConfigMaps,
  EndpointSlices,
  Endpoints,
  Namespaces,
  PriorityClasses,
  ServiceAccounts,
  ServiceCIDRs,
  Services,
} from '@fairway/kube/kinds/resources';

export interface ClusterFacts {
  readonly clusterName: string;
  /** First address in the service range. */
  readonly serviceAddress: string;
  readonly serviceCidr: string;
  readonly endpoint: { readonly host: string; readonly port: number };
  readonly caBundle: string;
  /** PEM of every CA whose client certificates are accepted. */
  readonly clientCaBundle: string;
  /** PEM of the CA of the proxy client certificate for aggregated API servers, if there is one. */
  readonly frontProxyCaBundle?: string | undefined;
}

const SYSTEM_NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** Objects that kube-apiserver and kubeadm create in every cluster. Created if missing, never overwritten. */
export async function createBootstrapObjects(
  client: KubeClient,
  reader: ObjectReader,
  facts: ClusterFacts,
): Promise<void> {
  await Promise.all(SYSTEM_NAMESPACES.map((name) => createSystemNamespace(client, reader, name)));
  await writeBootstrapPolicy(client, reader);
  await Promise.all([
    ...SYSTEM_PRIORITIES.map(({ name, value, description }) =>
      createIfMissing(client, reader, PriorityClasses, { metadata: { name }, value, description }),
    ),
    createIfMissing(client, reader, ServiceCIDRs, kubernetesServiceRange(facts)),
    createIfMissing(client, reader, Services, kubernetesService(facts)),
    createIfMissing(client, reader, EndpointSlices, kubernetesSlice(facts)),
    ...(isAddress(facts.endpoint.host) ? [createIfMissing(client, reader, Endpoints, kubernetesEndpoints(facts))] : []),
    createIfMissing(client, reader, ConfigMaps, clusterInfo(facts)),
    publishAuthentication(client, reader, facts),
  ]);
}

async function createSystemNamespace(client: KubeClient, reader: ObjectReader, name: string): Promise<void> {
  await createIfMissing<Namespace>(client, reader, Namespaces, { metadata: { name }, spec: {} });
  // The controller would create it slightly later, too late for the first pods.
  await createIfMissing(client, reader, ServiceAccounts, { metadata: { name: 'default', namespace: name } });
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

/** The range from which Service addresses are allocated. */
function kubernetesServiceRange({ serviceCidr }: ClusterFacts): ServiceCIDR {
  return { metadata: { name: 'kubernetes' }, spec: { cidrs: [serviceCidr] } };
}

function isAddress(host: string): boolean {
  return /^[0-9.]+$/.test(host);
}

function kubernetesSlice({ endpoint }: ClusterFacts): EndpointSlice {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'kubernetes', namespace: 'default', labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    addressType: isAddress(endpoint.host) ? 'IPv4' : 'FQDN',
    endpoints: [{ addresses: [endpoint.host], conditions: { ready: true } }],
    ports: [{ name: 'https', port: endpoint.port, protocol: 'TCP' }],
  };
}

/** The same for older clients; Endpoints can't contain host names. */
function kubernetesEndpoints({ endpoint }: ClusterFacts): EndpointsObject {
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' },
    },
    subsets: [{ addresses: [{ ip: endpoint.host }], ports: [{ name: 'https', port: endpoint.port, protocol: 'TCP' }] }],
  };
}

/**
 * Publishes the CAs with which aggregated API servers, kube-scheduler and kube-controller-manager authenticate clients;
 * kept current, since CAs are rotated.
 */
async function publishAuthentication(client: KubeClient, reader: ObjectReader, facts: ClusterFacts): Promise<void> {
  const { clientCaBundle, frontProxyCaBundle } = facts;
  const data = {
    'client-ca-file': clientCaBundle,
    ...(frontProxyCaBundle !== undefined && requestHeaderSettings(frontProxyCaBundle)),
  };
  const { namespace, name } = AUTHENTICATION_CONFIG;
  const metadata = { namespace, name };
  await createIfMissing(client, reader, ConfigMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  const found = reader.get(ConfigMaps, namespace, name)?.data ?? {};
  if (Object.entries(data).every(([key, value]) => found[key] === value)) return;
  await client.resource(ConfigMaps).patch(name, { type: 'merge', value: { data } }, { namespace });
}

/** The discovery ConfigMap of `kubeadm join`; contains no secrets. */
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
