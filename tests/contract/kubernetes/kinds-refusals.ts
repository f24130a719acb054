import { FLOW_CONTROL_REFUSALS } from './flow-control-refusals.ts';
import { POLICY_REFUSALS } from './policy-refusals.ts';
import type { Refusal } from './refusal.ts';

type Body = Readonly<Record<string, unknown>>;

function refusal(what: string, apiVersion: string, kind: string, body: Body, name = 'wrong'): Refusal {
  return { what, manifest: { apiVersion, kind, metadata: { name }, ...body } };
}

const CONTAINER = { name: 'a', image: 'a' };
const LABELS = { app: 'a' };

function pod(what: string, spec: Body): Refusal {
  return refusal(`a pod with ${what}`, 'v1', 'Pod', { spec: { containers: [CONTAINER], ...spec } });
}

function container(what: string, fields: Body, spec: Body = {}): Refusal {
  return pod(`a container with ${what}`, { ...spec, containers: [{ ...CONTAINER, ...fields }] });
}

function template(spec: Body = {}, labels: Body = LABELS): Body {
  return { metadata: { labels }, spec: { containers: [CONTAINER], ...spec } };
}

function workload(what: string, kind: string, spec: Body): Refusal {
  const base = { selector: { matchLabels: LABELS }, template: template() };
  return refusal(`a ${kind} with ${what}`, 'apps/v1', kind, { spec: { ...base, ...spec } });
}

function service(what: string, spec: Body): Refusal {
  return refusal(`a Service with ${what}`, 'v1', 'Service', { spec: { ports: [{ port: 80 }], ...spec } });
}

function job(what: string, spec: Body): Refusal {
  const base = { template: { spec: { restartPolicy: 'Never', containers: [CONTAINER] } } };
  return refusal(`a Job with ${what}`, 'batch/v1', 'Job', { spec: { ...base, ...spec } });
}

const INDEXED = { completionMode: 'Indexed', completions: 5, parallelism: 1 };

function failurePolicy(what: string, rule: Body, spec: Body = {}): Refusal {
  return job(`a failure policy with ${what}`, { ...spec, podFailurePolicy: { rules: [rule] } });
}

function successPolicy(what: string, ...rules: Body[]): Refusal {
  return job(`a success policy with ${what}`, { ...INDEXED, successPolicy: { rules } });
}

const EXIT_CODES = { operator: 'In', values: [42] };

const JOB_POLICY_REFUSALS: readonly Refusal[] = [
  failurePolicy('an unknown action', { action: 'Explode', onExitCodes: EXIT_CODES }),
  failurePolicy('no limit per index', { action: 'FailIndex', onExitCodes: EXIT_CODES }),
  failurePolicy('nothing to match', { action: 'FailJob' }),
  failurePolicy('two things to match', {
    action: 'FailJob',
    onExitCodes: EXIT_CODES,
    onPodConditions: [{ type: 'Ready', status: 'True' }],
  }),
  failurePolicy('an unknown operator', { action: 'FailJob', onExitCodes: { operator: 'Near', values: [1] } }),
  failurePolicy('success as a failure', { action: 'FailJob', onExitCodes: { operator: 'In', values: [0] } }),
  failurePolicy('codes in disorder', { action: 'FailJob', onExitCodes: { operator: 'In', values: [3, 2, 2] } }),
  failurePolicy('another container', { action: 'FailJob', onExitCodes: { ...EXIT_CODES, containerName: 'other' } }),
  failurePolicy('an odd status', { action: 'Ignore', onPodConditions: [{ type: 'Ready', status: 'Maybe' }] }),
  failurePolicy(
    'pods replaced at once',
    { action: 'FailJob', onExitCodes: EXIT_CODES },
    { podReplacementPolicy: 'TerminatingOrFailed' },
  ),
  successPolicy('no rules'),
  successPolicy('an empty rule', {}),
  successPolicy('more than there is', { succeededCount: 6 }),
  successPolicy('more than it names', { succeededIndexes: '0-2', succeededCount: 4 }),
  successPolicy('an index too high', { succeededIndexes: '0,5' }),
  successPolicy('indexes in disorder', { succeededIndexes: '3,1' }),
  successPolicy('an empty interval', { succeededIndexes: '3-3' }),
  successPolicy('words', { succeededIndexes: 'all' }),
  job('a success policy without indexes', { successPolicy: { rules: [{ succeededCount: 1 }] } }),
  job('failed indexes without a limit', { ...INDEXED, maxFailedIndexes: 1 }),
  job('more failed indexes than completions', { ...INDEXED, backoffLimitPerIndex: 1, maxFailedIndexes: 6 }),
  job('failed indexes without indexes', { backoffLimitPerIndex: 1, maxFailedIndexes: 1 }),
];

function ingress(what: string, path: Body): Refusal {
  const backend = { service: { name: 'web', port: { number: 80 } } };
  const rule = { http: { paths: [{ path: '/', pathType: 'Prefix', backend, ...path }] } };
  return refusal(`an Ingress with ${what}`, 'networking.k8s.io/v1', 'Ingress', { spec: { rules: [rule] } });
}

function policy(what: string, ingressRule: Body): Refusal {
  const spec = { podSelector: {}, ingress: [ingressRule] };
  return refusal(`a NetworkPolicy with ${what}`, 'networking.k8s.io/v1', 'NetworkPolicy', { spec });
}

export const REFUSED_MANIFESTS: readonly Refusal[] = [
  ...FLOW_CONTROL_REFUSALS,
  ...POLICY_REFUSALS,
  refusal('a Namespace with a bad name', 'v1', 'Namespace', {}, 'a.b'),
  refusal('a pod with a bad name', 'v1', 'Pod', { spec: { containers: [CONTAINER] } }, 'Wrong_'),
  pod('no containers', { containers: [] }),
  pod('an unknown restart policy', { restartPolicy: 'Sometimes' }),
  pod('an unknown DNS policy', { dnsPolicy: 'Random' }),
  pod('a deadline of zero', { activeDeadlineSeconds: 0 }),
  pod('two containers of one name', { containers: [CONTAINER, CONTAINER] }),
  pod('an init container with the same name', { initContainers: [CONTAINER] }),
  pod('a probe on an init container', {
    initContainers: [{ name: 'i', image: 'i', readinessProbe: { exec: { command: ['a'] } } }],
  }),
  pod('a bad node selector', { nodeSelector: { 'a b': 'c d' } }),
  pod('odd names of sysctls', {
    securityContext: {
      sysctls: [
        { name: 'foo-', value: '1' },
        { name: 'bar..', value: '1' },
      ],
    },
  }),
  pod('a sysctl twice', {
    securityContext: { sysctls: ['1', '2'].map((value) => ({ name: 'net.core.somaxconn', value })) },
  }),
  pod('a sysctl without a name', { securityContext: { sysctls: [{ name: '', value: '1' }] } }),
  pod('a toleration without key', { tolerations: [{ value: 'x' }] }),
  pod('a toleration with an unknown effect', { tolerations: [{ key: 'a', operator: 'Exists', effect: 'Never' }] }),
  pod('a toleration with a value and operator Exists', { tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] }),
  pod('toleration seconds without NoExecute', {
    tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 3 }],
  }),
  pod('a bad service account', { serviceAccountName: 'A B' }),
  pod('a bad host name', { hostname: 'a.b' }),
  pod('two volumes of one name', { volumes: [{ name: 'v' }, { name: 'v' }] }),
  pod('a volume of two sources', { volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/' } }] }),
  pod('a volume with a bad name', { volumes: [{ name: 'V_' }] }),
  pod('a claim without name', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: '' } }] }),
  pod('an empty node affinity', {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
  }),
  pod('an unknown node affinity operator', {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Near', values: ['b'] }] }],
        },
      },
    },
  }),
  pod('a preference without weight', {
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 0, preference: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } },
        ],
      },
    },
  }),
  pod('a pod affinity without a topology key', {
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: '' }] } },
  }),
  pod('a spread without skew', {
    topologySpreadConstraints: [{ maxSkew: 0, topologyKey: 'a', whenUnsatisfiable: 'DoNotSchedule' }],
  }),
  pod('a spread with an unknown action', {
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'Complain' }],
  }),
  container('no name', { name: '' }),
  container('a bad name', { name: 'A_' }),
  container('no image', { image: '' }),
  container('blanks around its image', { image: ' a ' }),
  container('an unknown pull policy', { imagePullPolicy: 'Maybe' }),
  container('no port number', { ports: [{ containerPort: 0 }] }),
  container('a port that is too high', { ports: [{ containerPort: 70_000 }] }),
  container('a bad port name', { ports: [{ containerPort: 80, name: 'Web!' }] }),
  container('two ports of one name', {
    ports: [
      { containerPort: 80, name: 'a' },
      { containerPort: 81, name: 'a' },
    ],
  }),
  container('an unknown protocol', { ports: [{ containerPort: 80, protocol: 'QUIC' }] }),
  container('an unknown volume', { volumeMounts: [{ name: 'v', mountPath: '/v' }] }),
  container(
    'one path for two volumes',
    {
      volumeMounts: [
        { name: 'v', mountPath: '/v' },
        { name: 'w', mountPath: '/v' },
      ],
    },
    { volumes: [{ name: 'v' }, { name: 'w' }] },
  ),
  container('a variable without name', { env: [{ name: '', value: 'a' }] }),
  container('a variable of two sources', {
    env: [{ name: 'a', value: 'b', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
  }),
  container('a request above its limit', { resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }),
  container('a negative request', { resources: { requests: { cpu: '-1' } } }),
  container('an unknown resource', { resources: { requests: { coffee: '1' } } }),
  container('a probe of nothing', { readinessProbe: {} }),
  container('a probe of two kinds', { readinessProbe: { exec: { command: ['a'] }, tcpSocket: { port: 80 } } }),
  container('two successes to live', { livenessProbe: { exec: { command: ['a'] }, successThreshold: 2 } }),
  workload('a selector that does not match', 'Deployment', { selector: { matchLabels: { app: 'b' } } }),
  workload('negative replicas', 'Deployment', { replicas: -1 }),
  workload('pods that are not restarted', 'Deployment', { template: template({ restartPolicy: 'Never' }) }),
  workload('no way to roll', 'Deployment', { strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } }),
  workload('rolling parameters for Recreate', 'Deployment', {
    strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } },
  }),
  workload('an unknown strategy', 'Deployment', { strategy: { type: 'Slowly' } }),
  workload('a bad percentage', 'Deployment', { strategy: { rollingUpdate: { maxSurge: 'half' } } }),
  workload('more than everything unavailable', 'Deployment', {
    strategy: { rollingUpdate: { maxUnavailable: '120%' } },
  }),
  workload('an impatient deadline', 'Deployment', { progressDeadlineSeconds: 10, minReadySeconds: 20 }),
  workload('an empty selector', 'Deployment', { selector: {} }),
  workload('a bad selector operator', 'Deployment', {
    selector: { matchExpressions: [{ key: 'app', operator: 'Like', values: ['a'] }] },
  }),
  workload('a deadline', 'Deployment', { template: template({ activeDeadlineSeconds: 5 }) }),
  workload('a selector that does not match', 'ReplicaSet', { selector: { matchLabels: { app: 'b' } } }),
  workload('an unknown policy', 'StatefulSet', { serviceName: 'a', podManagementPolicy: 'Whatever' }),
  workload('an unknown update strategy', 'StatefulSet', { serviceName: 'a', updateStrategy: { type: 'Now' } }),
  workload('a negative partition', 'StatefulSet', {
    serviceName: 'a',
    updateStrategy: { rollingUpdate: { partition: -1 } },
  }),
  workload('both surge and unavailable', 'DaemonSet', {
    updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
  }),
  workload('neither surge nor unavailable', 'DaemonSet', {
    updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } },
  }),
  workload('an unknown update strategy', 'DaemonSet', { updateStrategy: { type: 'Now' } }),
  service('no ports', { ports: [] }),
  service('a port out of range', { ports: [{ port: 0 }] }),
  service('two nameless ports', { ports: [{ port: 80 }, { port: 81 }] }),
  service('the same port twice', {
    ports: [
      { port: 80, name: 'a' },
      { port: 80, name: 'b' },
    ],
  }),
  service('an unknown type', { type: 'Balancer' }),
  service('an unknown affinity', { sessionAffinity: 'Cookie' }),
  service('an affinity that is too long', {
    sessionAffinity: 'ClientIP',
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 100_000 } },
  }),
  service('a node port without need', { ports: [{ port: 80, nodePort: 30_080 }] }),
  service('an external name that is none', { type: 'ExternalName', externalName: '' }),
  service('a load balancer class without a load balancer', { loadBalancerClass: 'example.com/x' }),
  service('an unknown traffic policy', { internalTrafficPolicy: 'Nearby' }),
  service('a bad target port', { ports: [{ port: 80, targetPort: 'Web!' }] }),
  refusal('a ConfigMap with a bad key', 'v1', 'ConfigMap', { data: { 'a b': 'c' } }),
  refusal('a ConfigMap with a duplicate key', 'v1', 'ConfigMap', { data: { a: 'c' }, binaryData: { a: 'AAA=' } }),
  refusal('a Secret with a bad key', 'v1', 'Secret', { stringData: { '..': 'c' } }),
  refusal('a TLS Secret without key', 'v1', 'Secret', { type: 'kubernetes.io/tls', stringData: { 'tls.crt': 'c' } }),
  refusal('a token Secret without an account', 'v1', 'Secret', { type: 'kubernetes.io/service-account-token' }),
  refusal('a registry Secret that is not valid JSON', 'v1', 'Secret', {
    type: 'kubernetes.io/dockerconfigjson',
    stringData: { '.dockerconfigjson': 'x' },
  }),
  refusal('an Event of another namespace', 'v1', 'Event', { involvedObject: { kind: 'Pod', namespace: 'else' } }),
  refusal('a PersistentVolume without source', 'v1', 'PersistentVolume', {
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
  }),
  refusal('a PersistentVolume with an unknown mode', 'v1', 'PersistentVolume', {
    spec: { capacity: { storage: '1Gi' }, accessModes: ['Sometimes'], csi: { driver: 'a', volumeHandle: 'b' } },
  }),
  refusal('a PersistentVolume without capacity', 'v1', 'PersistentVolume', {
    spec: { accessModes: ['ReadWriteOnce'], csi: { driver: 'a', volumeHandle: 'b' } },
  }),
  refusal('a claim without access mode', 'v1', 'PersistentVolumeClaim', {
    spec: { resources: { requests: { storage: '1Gi' } } },
  }),
  refusal('a claim without size', 'v1', 'PersistentVolumeClaim', { spec: { accessModes: ['ReadWriteOnce'] } }),
  refusal('a Node with a taint twice', 'v1', 'Node', {
    spec: {
      taints: [
        { key: 'a', effect: 'NoSchedule' },
        { key: 'a', value: 'b', effect: 'NoSchedule' },
      ],
    },
  }),
  refusal('a Node with an unknown effect', 'v1', 'Node', { spec: { taints: [{ key: 'a', effect: 'Hide' }] } }),
  job('pods that always restart', { template: { spec: { restartPolicy: 'Always', containers: [CONTAINER] } } }),
  job('negative counts', { parallelism: -1, completions: -1, backoffLimit: -1 }),
  job('an index without count', { completionMode: 'Indexed', parallelism: 1 }),
  job('an unknown mode', { completionMode: 'Random' }),
  ...JOB_POLICY_REFUSALS,
  refusal('a CronJob with a bad schedule', 'batch/v1', 'CronJob', {
    spec: {
      schedule: '0 2 * *',
      jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [CONTAINER] } } } },
    },
  }),
  refusal('a CronJob without schedule', 'batch/v1', 'CronJob', {
    spec: {
      schedule: '',
      jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [CONTAINER] } } } },
    },
  }),
  refusal('a CronJob with an unknown time zone', 'batch/v1', 'CronJob', {
    spec: {
      schedule: '@daily',
      timeZone: 'Mars/Olympus',
      jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [CONTAINER] } } } },
    },
  }),
  refusal(
    'a CronJob with a long name',
    'batch/v1',
    'CronJob',
    {
      spec: {
        schedule: '@daily',
        jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [CONTAINER] } } } },
      },
    },
    'a'.repeat(53),
  ),
  refusal('a budget of both kinds', 'policy/v1', 'PodDisruptionBudget', {
    spec: { minAvailable: 1, maxUnavailable: 1 },
  }),
  refusal('a budget that is negative', 'policy/v1', 'PodDisruptionBudget', { spec: { minAvailable: -1 } }),
  refusal('a budget above everything', 'policy/v1', 'PodDisruptionBudget', { spec: { minAvailable: '110%' } }),
  refusal('an autoscaler without maximum', 'autoscaling/v2', 'HorizontalPodAutoscaler', {
    spec: { maxReplicas: 0, scaleTargetRef: { kind: 'Deployment', name: 'a' } },
  }),
  refusal('an autoscaler without target', 'autoscaling/v2', 'HorizontalPodAutoscaler', {
    spec: { maxReplicas: 1, scaleTargetRef: { kind: '', name: '' } },
  }),
  refusal('a StorageClass with an unknown binding mode', 'storage.k8s.io/v1', 'StorageClass', {
    provisioner: 'a',
    volumeBindingMode: 'Later',
  }),
  refusal('a StorageClass without provisioner', 'storage.k8s.io/v1', 'StorageClass', { provisioner: '' }),
  refusal('a Lease of no duration', 'coordination.k8s.io/v1', 'Lease', { spec: { leaseDurationSeconds: 0 } }),
  refusal('a slice of an unknown type', 'discovery.k8s.io/v1', 'EndpointSlice', { addressType: 'MAC', endpoints: [] }),
  refusal('a slice with an endpoint without addresses', 'discovery.k8s.io/v1', 'EndpointSlice', {
    addressType: 'IPv4',
    endpoints: [{ addresses: [] }],
  }),
  ingress('a relative path', { path: 'a' }),
  ingress('no path type', { pathType: undefined }),
  ingress('an unknown path type', { pathType: 'Regex' }),
  ingress('no backend', { backend: {} }),
  ingress('a service without port', { backend: { service: { name: 'web' } } }),
  refusal('an Ingress of nothing', 'networking.k8s.io/v1', 'Ingress', { spec: {} }),
  refusal('an Ingress of an address', 'networking.k8s.io/v1', 'Ingress', { spec: { rules: [{ host: '10.0.0.1' }] } }),
  policy('a peer of nothing', { from: [{}] }),
  policy('a peer of two kinds', { from: [{ podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }] }),
  policy('a bad CIDR', { from: [{ ipBlock: { cidr: '10.0.0.0' } }] }),
  policy('an exception outside', { from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] } }] }),
  policy('ports in the wrong order', { ports: [{ port: 90, endPort: 80 }] }),
  policy('an end without port', { ports: [{ endPort: 80 }] }),
  refusal('a Role without verbs', 'rbac.authorization.k8s.io/v1', 'Role', {
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: [] }],
  }),
  refusal('a Role over URLs', 'rbac.authorization.k8s.io/v1', 'Role', {
    rules: [{ nonResourceURLs: ['/'], verbs: ['get'] }],
  }),
  refusal('a Role over nothing', 'rbac.authorization.k8s.io/v1', 'Role', { rules: [{ verbs: ['get'] }] }),
  refusal('a binding to something else', 'rbac.authorization.k8s.io/v1', 'RoleBinding', {
    roleRef: { kind: 'Job', name: 'a' },
  }),
  refusal('a binding of something else', 'rbac.authorization.k8s.io/v1', 'RoleBinding', {
    roleRef: { kind: 'Role', name: 'a' },
    subjects: [{ kind: 'Robot', name: 'a' }],
  }),
  refusal('a cluster binding to an account without a namespace', 'rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', {
    roleRef: { kind: 'ClusterRole', name: 'a' },
    subjects: [{ kind: 'ServiceAccount', name: 'a' }],
  }),
  refusal('a class above the system', 'scheduling.k8s.io/v1', 'PriorityClass', { value: 2_000_000_000 }),
  refusal('a class with a reserved system name', 'scheduling.k8s.io/v1', 'PriorityClass', { value: 1 }, 'system-mine'),
];
