import { METRICS_SERVER_PORT } from '@fairway/api/domain/node-ports';
import type { APIService, Deployment, Secret, Service } from '@fairway/kube/kinds/generated/types';
import { APIServices, Deployments, Secrets, Services } from '@fairway/kube/kinds/resources';
import { ADDON_NAMESPACE, type Addon, type AddonFacts, type ObjectIdentity } from '../addon.ts';
import { metricsServerVersion } from '../versions.ts';
import { podTemplate } from './pod-template.ts';
import { METRICS_SERVER_RBAC } from './rbac.ts';

const NAME = 'metrics-server';
const LABELS = { 'k8s-app': NAME };
const API_GROUP = 'metrics.k8s.io';
const API_VERSION = 'v1beta1';

const SERVICE = { type: Services, name: NAME };
const CERTIFICATE = { type: Secrets, name: 'metrics-server-serving' };
const WORKLOAD = { type: Deployments, name: NAME };
const REGISTRATION = { type: APIServices, name: `${API_VERSION}.${API_GROUP}` };

/** All objects that the add-on has contained in any release. */
export const METRICS_SERVER_OBJECTS: readonly ObjectIdentity[] = [
  ...METRICS_SERVER_RBAC.map(({ type, name }) => ({ type, name })),
  SERVICE,
  CERTIFICATE,
  WORKLOAD,
  REGISTRATION,
];

/** metrics-server, which `kubectl top` and HorizontalPodAutoscalers query. */
export function metricsServer(facts: AddonFacts): Addon {
  const version = facts.metricsServerVersion ?? metricsServerVersion(facts.version);
  return {
    name: 'metrics-server',
    version,
    objects: facts.reachesNodes
      ? [
          ...METRICS_SERVER_RBAC,
          { ...SERVICE, object: service() },
          { ...CERTIFICATE, object: secret() },
          { ...WORKLOAD, object: deployment(version, facts.nodeCount) },
          { ...REGISTRATION, object: registration() },
        ]
      : [],
    workload: WORKLOAD,
    podSelector: `k8s-app=${NAME}`,
    claims: [WORKLOAD, REGISTRATION, SERVICE, CERTIFICATE],
    requirements: `TCP port ${METRICS_SERVER_PORT} of its node`,
    aggregatedApi: {
      registration: REGISTRATION,
      certificate: CERTIFICATE,
      dnsName: `${NAME}.${ADDON_NAMESPACE}.svc`,
      probe: `/api/v1/namespaces/${ADDON_NAMESPACE}/services/https:${NAME}:443/proxy/livez`,
    },
  };
}

function service(): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: NAME, namespace: ADDON_NAMESPACE, labels: LABELS },
    spec: {
      ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 'https', appProtocol: 'https' }],
      selector: LABELS,
    },
  };
}

/** The Secret without its data, which are read from the cluster, or issued when the Secret is applied. */
function secret(): Secret {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: CERTIFICATE.name, namespace: ADDON_NAMESPACE, labels: LABELS },
    type: 'kubernetes.io/tls',
  };
}

/**
 * A single pod: a second one would need another node for its port and prevent the cluster from scaling down to one
 * node.
 */
function deployment(version: string, nodeCount: number): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: NAME, namespace: ADDON_NAMESPACE, labels: LABELS },
    spec: {
      replicas: 1,
      // On a single node, the port becomes free once the previous pod has terminated.
      strategy: { type: 'Recreate' },
      selector: { matchLabels: LABELS },
      template: podTemplate({
        name: NAME,
        version,
        labels: LABELS,
        certificateName: CERTIFICATE.name,
        nodeCount,
      }),
    },
  };
}

/** `caBundle` matches the certificate, so a server without the certificate's key is not trusted. */
function registration(): APIService {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: REGISTRATION.name, labels: LABELS },
    spec: {
      group: API_GROUP,
      version: API_VERSION,
      groupPriorityMinimum: 100,
      versionPriority: 100,
      service: { name: NAME, namespace: ADDON_NAMESPACE, port: 443 },
    },
  };
}
