import { RUNBOOKS_PATH } from '../monitoring/rules-file.ts';

/** The chart's values: defaults in the plain manifests, placeholders in the chart's templates. */
export interface Values {
  readonly image: unknown;
  readonly imagePullPolicy: unknown;
  readonly imagePullSecrets: unknown;
  readonly replicas: unknown;
  /** The content of fairway.yaml. */
  readonly config: unknown;
  /** The port of `listen` in fairway.yaml. */
  readonly port: unknown;
  readonly cloudsSecret: unknown;
  readonly homeClaim: unknown;
  readonly homeSize: unknown;
  readonly homeStorageClass: unknown;
  readonly hostNetwork: unknown;
  readonly serviceType: unknown;
  readonly serviceAnnotations: unknown;
  readonly resources: unknown;
  readonly nodeSelector: unknown;
  readonly tolerations: unknown;
  readonly affinity: unknown;
  readonly podAnnotations: unknown;
  readonly priorityClassName: unknown;
  readonly extraEnv: readonly unknown[];
  readonly extraVolumes: readonly unknown[];
  readonly extraVolumeMounts: readonly unknown[];
  readonly ingressFrom: unknown;
  /** The port of `magnum.listen` in fairway.yaml. */
  readonly magnumPort: unknown;
  readonly magnumServiceType: unknown;
  readonly magnumServiceAnnotations: unknown;
  readonly magnumFrom: unknown;
}

/** Port of the gateway's Service, and of the pod by default. */
export const PORT = 8443;

/** Port of Magnum's API in clouds that offer it. */
export const MAGNUM_PORT = 9511;

/** The contents of values.yaml, with its comments as descriptions in the schema. */
export const DEFAULTS = {
  image: { repository: 'fairway', tag: '', pullPolicy: 'IfNotPresent', pullSecrets: [] },
  replicas: 1,
  config: {
    home: '/var/lib/fairway/home',
    listen: `0.0.0.0:${PORT}`,
    gateway: { webhookURL: `https://fairway-gateway.fairway-system.svc:${PORT}` },
    cloud: { file: '/etc/fairway/clouds/clouds.yaml' },
    audit: { path: '-' },
    log: { level: 'info' },
  },
  clouds: { secretName: 'fairway-clouds' },
  home: { create: true, claimName: 'fairway-home', size: '20Gi', storageClassName: '' },
  hostNetwork: false,
  service: { type: 'ClusterIP', annotations: {} },
  magnum: { enabled: false, service: { type: 'ClusterIP', annotations: {} }, from: [] },
  resources: { requests: { cpu: '250m', memory: '512Mi' }, limits: { memory: '2Gi' } },
  nodeSelector: {},
  tolerations: [],
  affinity: {},
  podAnnotations: {},
  priorityClassName: '',
  extraEnv: [],
  extraVolumes: [],
  extraVolumeMounts: [],
  networkPolicy: { enabled: true, from: [] },
  podDisruptionBudget: { enabled: true },
  podMonitor: { enabled: false },
  prometheusRule: { enabled: false, runbooks: RUNBOOKS_PATH },
  dashboards: { enabled: false },
  rbac: { create: false },
} as const;

const DESCRIPTIONS: Record<string, string> = {
  image: 'the image that "npm run image" makes; an empty tag is the chart\'s appVersion',
  replicas:
    "control planes live with the home of one machine, so one replica serves; 0 stops Fairway, and tenants' clusters with it",
  config: 'fairway.yaml (docs/operators/configuration.md)',
  clouds: 'Secret with the key clouds.yaml; not needed for a simulated cloud',
  home: 'PersistentVolumeClaim for control planes and their data; with create: false, one that is there',
  hostNetwork: 'needed where nodes must reach control planes that run as processes',
  service: 'Service of the gateway, for tenants and for kube-apiserver',
  magnum:
    "a Service of Magnum's API, and a NetworkPolicy that lets its users in; needs config.magnum.listen and config.keystone.cloud",
  priorityClassName: 'while Fairway is away, kube-apiserver refuses changes of Clusters',
  extraEnv: 'such as KUBEBUILDER_ASSETS for the programs of control planes in one of extraVolumes',
  networkPolicy: 'from: peers that may reach the gateway; empty means everybody',
  podMonitor: "needs the Prometheus operator's kinds",
  prometheusRule: "alerts, which need the Prometheus operator's kinds; runbooks: URL that they point to, without #",
  dashboards: 'for Grafana, as a ConfigMap that its sidecar finds by the label grafana_dashboard',
  rbac: 'the ServiceAccount and its rights; "fairway install" makes them, so only where it is not used',
};

/** JSON schema of values.yaml; `config` is fairway.yaml's own. */
export function valuesSchema(configuration: object): object {
  const properties = Object.entries(DEFAULTS).map(([name, value]) => {
    const schema = name === 'config' ? withoutDialect(configuration) : schemaOf(name, value);
    const description = DESCRIPTIONS[name];
    return [name, { ...schema, ...(description !== undefined && { description }) }] as const;
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { ...Object.fromEntries(properties), global: { type: 'object' } },
    additionalProperties: false,
  };
}

/** kube-apiserver validates objects with the pod's own schema. */
const FREE_FORM_VALUES = new Set(['resources', 'affinity']);
/** Distinguishes a quoted number from a number before kube-apiserver validates it. */
const STRING_MAP_VALUES = new Set(['nodeSelector', 'podAnnotations', 'annotations']);
const CHOICES: Readonly<Record<string, readonly unknown[]>> = {
  replicas: [0, 1],
  pullPolicy: ['Always', 'IfNotPresent', 'Never'],
  type: ['ClusterIP', 'NodePort', 'LoadBalancer'],
};

function schemaOf(name: string, value: unknown): object {
  const choices = CHOICES[name];
  if (choices !== undefined) return { enum: choices };
  if (Array.isArray(value)) return { type: 'array' };
  if (value === null || typeof value !== 'object')
    return { type: typeof value === 'number' ? 'integer' : typeof value };
  if (STRING_MAP_VALUES.has(name)) return { type: 'object', additionalProperties: { type: 'string' } };
  if (FREE_FORM_VALUES.has(name)) return { type: 'object' };
  const properties = Object.entries(value).map(([key, inner]) => [key, schemaOf(key, inner)] as const);
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false };
}

function withoutDialect(schema: object): object {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== '$schema'));
}

/** The comment lines of a key in values.yaml. */
export function commentOf(name: string): string | undefined {
  return DESCRIPTIONS[name];
}
