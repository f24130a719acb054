import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import { GATEWAY_CA_SECRET } from '@fairway/gateway/management/gateway-ca';
import { SERVICE_ACCOUNT } from '@fairway/service/install/permissions';
import { PORT, type Values } from './values.ts';

/** An object that runs `fairway serve` in a management cluster. */
export interface Piece {
  /** Name of the object's file in the chart. */
  readonly file: string;
  /** The value that enables the object, such as `networkPolicy.enabled`. */
  readonly when?: string;
  readonly object: Readonly<Record<string, unknown>>;
}

const APP_NAME = 'fairway';
const SERVICE = 'fairway-gateway';
const MAGNUM = 'fairway-magnum';
const METRICS = 'fairway-metrics';
/** A user ID that is unused elsewhere, as in distroless images. */
const USER_ID = 65_532;
const LABELS = { 'app.kubernetes.io/name': APP_NAME, 'app.kubernetes.io/component': 'serve' };
/** Time for requests in progress to finish, then for clusters to be handed over. */
const GRACE_SECONDS = 60;

function metadata(name: string, others: object = {}) {
  return { name, namespace: SYSTEM_NAMESPACE, labels: LABELS, ...others };
}

/** All objects in addition to those that `fairway install` creates. */
export function workload(values: Values): readonly Piece[] {
  return [
    {
      file: 'config.yaml',
      object: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: metadata('fairway-config'),
        data: { 'fairway.yaml': values.config },
      },
    },
    {
      file: 'home.yaml',
      when: 'home.create',
      object: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        // The volume with the tenants' databases outlives the chart.
        metadata: metadata('fairway-home', { annotations: { 'helm.sh/resource-policy': 'keep' } }),
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: values.homeSize } },
          ...(values.homeStorageClass !== '' && { storageClassName: values.homeStorageClass }),
        },
      },
    },
    {
      file: 'service.yaml',
      object: {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: metadata(SERVICE, { annotations: values.serviceAnnotations }),
        spec: {
          type: values.serviceType,
          selector: LABELS,
          ports: [{ name: 'gateway', port: PORT, targetPort: 'gateway' }],
        },
      },
    },
    { file: 'deployment.yaml', object: deployment(values) },
    {
      file: 'network-policy.yaml',
      when: 'networkPolicy.enabled',
      object: {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: metadata(APP_NAME),
        spec: {
          podSelector: { matchLabels: LABELS },
          policyTypes: ['Ingress', 'Egress'],
          ingress: [{ from: values.ingressFrom, ports: [{ protocol: 'TCP', port: 'gateway' }] }],
          // Clouds, nodes and webhooks can have any address, except the metadata service's.
          egress: [
            {
              to: [
                { ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.0.0/16'] } },
                { ipBlock: { cidr: '::/0', except: ['fe80::/10'] } },
              ],
            },
          ],
        },
      },
    },
    {
      file: 'pod-disruption-budget.yaml',
      when: 'podDisruptionBudget.enabled',
      object: {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: metadata(APP_NAME),
        spec: { maxUnavailable: 1, selector: { matchLabels: LABELS }, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
      },
    },
    ...magnumAccess(values),
    ...monitoring(),
  ];
}

/** An entry point in addition to the gateway. Links in Magnum's responses contain its listen port. */
function magnumAccess(values: Values): Piece[] {
  const when = 'magnum.enabled';
  const file = 'magnum.yaml';
  const { magnumPort: port } = values;
  return [
    {
      file,
      when,
      object: {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: metadata(MAGNUM, { annotations: values.magnumServiceAnnotations }),
        spec: {
          type: values.magnumServiceType,
          selector: LABELS,
          ports: [{ name: 'magnum', port, targetPort: port }],
        },
      },
    },
    {
      file,
      when,
      object: {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: metadata(MAGNUM),
        spec: {
          podSelector: { matchLabels: LABELS },
          policyTypes: ['Ingress'],
          ingress: [{ from: values.magnumFrom, ports: [{ protocol: 'TCP', port }] }],
        },
      },
    },
  ];
}

function deployment(values: Values): Piece['object'] {
  const restricted = {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    readOnlyRootFilesystem: true,
  };
  const probe = (path: string) => ({ httpGet: { path, port: 'gateway', scheme: 'HTTPS' } });
  const container = {
    name: APP_NAME,
    image: values.image,
    imagePullPolicy: values.imagePullPolicy,
    args: ['serve', '--config', '/etc/fairway/config/fairway.yaml'],
    env: [
      { name: 'FAIRWAY_CONTROL_PLANES_ADDRESS', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      ...values.extraEnv,
    ],
    ports: [{ name: 'gateway', containerPort: values.port }],
    // The first start lists all clouds and waits for the API server.
    startupProbe: { ...probe('/livez'), periodSeconds: 2, failureThreshold: 150 },
    livenessProbe: { ...probe('/livez'), periodSeconds: 10, failureThreshold: 6, timeoutSeconds: 5 },
    readinessProbe: { ...probe('/readyz'), periodSeconds: 5, timeoutSeconds: 5 },
    resources: values.resources,
    securityContext: restricted,
    volumeMounts: [
      { name: 'config', mountPath: '/etc/fairway/config', readOnly: true },
      { name: 'clouds', mountPath: '/etc/fairway/clouds', readOnly: true },
      { name: 'home', mountPath: '/var/lib/fairway' },
      { name: 'tmp', mountPath: '/tmp' },
      ...values.extraVolumeMounts,
    ],
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadata(APP_NAME),
    spec: {
      replicas: values.replicas,
      // Two replicas must not share one home.
      strategy: { type: 'Recreate' },
      selector: { matchLabels: LABELS },
      template: {
        metadata: { labels: LABELS, annotations: values.podAnnotations },
        spec: {
          serviceAccountName: SERVICE_ACCOUNT,
          priorityClassName: values.priorityClassName,
          imagePullSecrets: values.imagePullSecrets,
          // The environment variables that Kubernetes adds for Services would be mistaken for settings.
          enableServiceLinks: false,
          hostNetwork: values.hostNetwork,
          dnsPolicy: 'ClusterFirstWithHostNet',
          terminationGracePeriodSeconds: GRACE_SECONDS,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: USER_ID,
            runAsGroup: USER_ID,
            fsGroup: USER_ID,
            fsGroupChangePolicy: 'OnRootMismatch',
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [container],
          volumes: [
            { name: 'config', configMap: { name: 'fairway-config' } },
            { name: 'clouds', secret: { secretName: values.cloudsSecret, optional: true, defaultMode: 0o440 } },
            { name: 'home', persistentVolumeClaim: { claimName: values.homeClaim } },
            { name: 'tmp', emptyDir: {} },
            ...values.extraVolumes,
          ],
          nodeSelector: values.nodeSelector,
          tolerations: values.tolerations,
          affinity: values.affinity,
        },
      },
    },
  };
}

/** Reading metrics requires an RBAC permission, so Prometheus gets a token. */
function monitoring(): Piece[] {
  const subject = { kind: 'ServiceAccount', name: METRICS, namespace: SYSTEM_NAMESPACE };
  const rbac = 'rbac.authorization.k8s.io';
  const role = { apiGroup: rbac, kind: 'ClusterRole', name: METRICS };
  const { labels } = metadata(METRICS);
  const objects = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadata(METRICS) },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: metadata(METRICS, { annotations: { 'kubernetes.io/service-account.name': METRICS } }),
      type: 'kubernetes.io/service-account-token',
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRole',
      metadata: { name: METRICS, labels },
      rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: METRICS, labels },
      roleRef: role,
      subjects: [subject],
    },
    {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PodMonitor',
      metadata: metadata(APP_NAME),
      spec: {
        selector: { matchLabels: LABELS },
        podMetricsEndpoints: [
          {
            port: 'gateway',
            scheme: 'https',
            path: '/metrics',
            tlsConfig: {
              serverName: `${SERVICE}.${SYSTEM_NAMESPACE}.svc`,
              ca: { secret: { name: GATEWAY_CA_SECRET, key: 'ca.crt' } },
            },
            authorization: { credentials: { name: METRICS, key: 'token' } },
          },
        ],
      },
    },
  ];
  return objects.map((object) => ({ file: 'pod-monitor.yaml', when: 'podMonitor.enabled', object }));
}
