/**
 * A change to an object of the corpus, as a merge patch. Both servers must accept it, or refuse it with the same
 * message.
 */
export interface Change {
  readonly what: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly patch: object;
  readonly subresource?: 'status' | 'scale';
}

function change(what: string, reference: string, patch: object, subresource?: 'status' | 'scale'): Change {
  const [apiVersion = '', kind = '', name = ''] = reference.split(' ');
  return { what, apiVersion, kind, name, patch, ...(subresource && { subresource }) };
}

const CONTAINER = { name: 'web', image: 'nginx:2' };

/** In order: each change depends on the previous ones. */
export const CHANGES: readonly Change[] = [
  change('labels of a namespace', 'v1 Namespace team-a', {
    metadata: { labels: { 'kubernetes.io/metadata.name': 'x' } },
  }),
  change('the image of a pod', 'v1 Pod plain', {
    spec: {
      containers: [
        {
          ...CONTAINER,
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'Always',
          resources: {},
        },
      ],
    },
  }),
  change('the node of a pod', 'v1 Pod plain', { spec: { nodeName: 'node-1' } }),
  change('the containers of a pod', 'v1 Pod plain', { spec: { containers: [CONTAINER, { name: 'b', image: 'b' }] } }),
  change('one more toleration', 'v1 Pod plain', { spec: { tolerations: [{ key: 'a', operator: 'Exists' }] } }),
  change('another toleration instead', 'v1 Pod plain', { spec: { tolerations: [{ key: 'b', operator: 'Exists' }] } }),
  change('a deadline for a pod', 'v1 Pod plain', { spec: { activeDeadlineSeconds: 100 } }),
  change('a longer deadline', 'v1 Pod plain', { spec: { activeDeadlineSeconds: 200 } }),
  change('no deadline', 'v1 Pod plain', { spec: { activeDeadlineSeconds: null } }),
  change('a new gate', 'v1 Pod guaranteed', {
    spec: { schedulingGates: [{ name: 'example.com/wait' }, { name: 'example.com/more' }] },
  }),
  change('nodes for a gated pod', 'v1 Pod guaranteed', { spec: { nodeSelector: { a: 'b' } } }),
  change('no gate', 'v1 Pod guaranteed', { spec: { schedulingGates: [] } }),
  change('the cluster IP of a Service', 'v1 Service headless', {
    spec: { clusterIP: '10.3.0.77', clusterIPs: ['10.3.0.77'] },
  }),
  change('the class of a load balancer', 'v1 Service public', { spec: { loadBalancerClass: 'example.com/x' } }),
  change('the type of a Secret', 'v1 Secret cert', { type: 'Opaque' }),
  change('the keys of a typed Secret', 'v1 Secret cert', { data: { 'tls.key': null } }),
  change('a Secret that is to stay', 'v1 Secret password', { immutable: true }),
  change('what is in it', 'v1 Secret password', { data: { a: 'eA==' } }),
  change('that it is to stay', 'v1 Secret password', { immutable: false }),
  change('a ConfigMap that is to stay', 'v1 ConfigMap settings', { immutable: true }),
  change('what is in it', 'v1 ConfigMap settings', { data: { a: '2' }, binaryData: null }),
  change('the source of a volume', 'v1 PersistentVolume disk-1', { spec: { csi: { volumeHandle: 'other' } } }),
  change('the mode of a volume', 'v1 PersistentVolume disk-1', { spec: { volumeMode: 'Block' } }),
  change('the reclaim policy of a volume', 'v1 PersistentVolume disk-1', {
    spec: { persistentVolumeReclaimPolicy: 'Delete' },
  }),
  change('the size of an unbound claim', 'v1 PersistentVolumeClaim data', {
    spec: { resources: { requests: { storage: '20Gi' } } },
  }),
  change('the volume of a claim', 'v1 PersistentVolumeClaim data', { spec: { volumeName: 'disk-1' } }),
  change(
    'that a claim is bound',
    'v1 PersistentVolumeClaim data',
    { status: { phase: 'Bound', capacity: { storage: '10Gi' }, accessModes: ['ReadWriteOnce'] } },
    'status',
  ),
  change('a larger claim', 'v1 PersistentVolumeClaim data', {
    spec: { resources: { requests: { storage: '20480Mi' } } },
  }),
  change('a smaller claim', 'v1 PersistentVolumeClaim data', { spec: { resources: { requests: { storage: '5Gi' } } } }),
  change('the class of a claim', 'v1 PersistentVolumeClaim data', { spec: { storageClassName: 'slow' } }),
  change('the pod CIDR of a node', 'v1 Node node-1', { spec: { podCIDR: '10.9.0.0/24', podCIDRs: ['10.9.0.0/24'] } }),
  change('the provider id of a node', 'v1 Node node-1', { spec: { providerID: 'openstack:///1' } }),
  change('it again', 'v1 Node node-1', { spec: { providerID: 'openstack:///2' } }),
  change('cordon', 'v1 Node node-1', { spec: { unschedulable: true } }),
  change('the selector of a Deployment', 'apps/v1 Deployment web', {
    spec: { selector: { matchLabels: { app: 'web', more: 'x' } }, template: { metadata: { labels: { more: 'x' } } } },
  }),
  change('the image of a Deployment', 'apps/v1 Deployment web', {
    spec: { template: { spec: { containers: [CONTAINER] } } },
  }),
  change('the strategy of a Deployment', 'apps/v1 Deployment web', {
    spec: { strategy: { type: 'Recreate', rollingUpdate: null } },
  }),
  change('replicas by scale', 'apps/v1 Deployment web', { spec: { replicas: 4 } }, 'scale'),
  change('negative replicas by scale', 'apps/v1 Deployment web', { spec: { replicas: -4 } }, 'scale'),
  change('the selector of a ReplicaSet', 'apps/v1 ReplicaSet web', {
    spec: { selector: { matchLabels: { app: 'web', more: 'x' } }, template: { metadata: { labels: { more: 'x' } } } },
  }),
  change('the service of a StatefulSet', 'apps/v1 StatefulSet db', { spec: { serviceName: 'other' } }),
  change('the claims of a StatefulSet', 'apps/v1 StatefulSet db', { spec: { volumeClaimTemplates: [] } }),
  change('the replicas of a StatefulSet', 'apps/v1 StatefulSet db', { spec: { replicas: 3 } }),
  change('the template of a DaemonSet', 'apps/v1 DaemonSet agent', {
    spec: { template: { spec: { nodeSelector: { os: 'other' } } } },
  }),
  change('the labels of a DaemonSet', 'apps/v1 DaemonSet agent', { metadata: { labels: { a: 'b' } } }),
  change('the data of a revision', 'apps/v1 ControllerRevision rev-1', { data: { spec: { a: 2 } } }),
  change('the number of a revision', 'apps/v1 ControllerRevision rev-1', { revision: 2 }),
  change('the template of a Job', 'batch/v1 Job pi', { spec: { template: { spec: { containers: [CONTAINER] } } } }),
  change('the completions of a Job', 'batch/v1 Job pi', { spec: { completions: 3 } }),
  change('the mode of a Job', 'batch/v1 Job pi', { spec: { completionMode: 'Indexed' } }),
  change('the parallelism of a Job', 'batch/v1 Job pi', { spec: { parallelism: 3, suspend: true } }),
  change('the nodes of a suspended Job', 'batch/v1 Job pi', {
    spec: { template: { spec: { nodeSelector: { a: 'b' } } } },
  }),
  change('a CronJob', 'batch/v1 CronJob nightly', { spec: { suspend: true, schedule: '@daily' } }),
  change('a budget', 'policy/v1 PodDisruptionBudget web', { spec: { minAvailable: null, maxUnavailable: 1 } }),
  change('the parameters of a StorageClass', 'storage.k8s.io/v1 StorageClass fast', { parameters: { type: 'hdd' } }),
  change('the binding of a StorageClass', 'storage.k8s.io/v1 StorageClass fast', {
    volumeBindingMode: 'WaitForFirstConsumer',
  }),
  change('the provisioner of a StorageClass', 'storage.k8s.io/v1 StorageClass fast', { provisioner: 'example.com/x' }),
  change('the reclaim policy of a StorageClass', 'storage.k8s.io/v1 StorageClass fast', { reclaimPolicy: 'Retain' }),
  change('the expansion of a StorageClass', 'storage.k8s.io/v1 StorageClass fast', { allowVolumeExpansion: true }),
  change('the spec of an attachment', 'storage.k8s.io/v1 VolumeAttachment attach-1', { spec: { nodeName: 'node-2' } }),
  change('the type of a slice', 'discovery.k8s.io/v1 EndpointSlice web-1', { addressType: 'IPv6', endpoints: [] }),
  change('the rules of an Ingress', 'networking.k8s.io/v1 Ingress web', {
    spec: { rules: null, defaultBackend: { service: { name: 'web', port: { name: 'http' } } } },
  }),
  change('the controller of an IngressClass', 'networking.k8s.io/v1 IngressClass nginx', {
    spec: { controller: 'example.com/x' },
  }),
  change('the role of a binding', 'rbac.authorization.k8s.io/v1 RoleBinding pods', { roleRef: { name: 'other' } }),
  change('the value of a class', 'scheduling.k8s.io/v1 PriorityClass high', { value: 2000 }),
  change('the handler of a class', 'node.k8s.io/v1 RuntimeClass gvisor', { handler: 'kata' }),
  change('the subjects of a binding', 'rbac.authorization.k8s.io/v1 ClusterRoleBinding all', {
    subjects: [{ kind: 'Group', name: 'x' }],
  }),
];

const TIME = '2026-01-01T00:00:00Z';
const waiting = (reason: string) => ({
  name: 'web',
  image: 'nginx',
  imageID: '',
  ready: false,
  restartCount: 0,
  state: { waiting: { reason } },
});

/** States whose rows in `kubectl get` are compared after each is set. */
export const STATES: readonly Change[] = [
  change(
    'a pod that pulls its image',
    'v1 Pod plain',
    { status: { phase: 'Pending', containerStatuses: [waiting('ContainerCreating')] } },
    'status',
  ),
  change(
    'a running pod',
    'v1 Pod plain',
    {
      status: {
        phase: 'Running',
        podIP: '10.2.0.1',
        podIPs: [{ ip: '10.2.0.1' }],
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [
          {
            name: 'web',
            image: 'nginx',
            imageID: '',
            ready: true,
            restartCount: 3,
            state: { running: { startedAt: TIME } },
            lastState: { terminated: { exitCode: 1, finishedAt: TIME } },
          },
        ],
      },
    },
    'status',
  ),
  change(
    'a pod that crashes',
    'v1 Pod plain',
    { status: { containerStatuses: [{ ...waiting('CrashLoopBackOff'), restartCount: 5 }] } },
    'status',
  ),
  change(
    'a pod that is done',
    'v1 Pod plain',
    {
      status: {
        phase: 'Succeeded',
        containerStatuses: [
          {
            name: 'web',
            image: 'nginx',
            imageID: '',
            ready: false,
            restartCount: 0,
            state: { terminated: { exitCode: 0, reason: 'Completed' } },
          },
        ],
      },
    },
    'status',
  ),
  change('a pod that was evicted', 'v1 Pod guaranteed', { status: { phase: 'Failed', reason: 'Evicted' } }, 'status'),
  change(
    'a pod that initialises',
    'v1 Pod detailed',
    {
      status: {
        phase: 'Pending',
        initContainerStatuses: [
          { name: 'prepare', image: 'b', imageID: '', ready: false, restartCount: 2, state: { running: {} } },
          { ...waiting('PodInitializing'), name: 'proxy' },
        ],
      },
    },
    'status',
  ),
  change(
    'a pod that fails to initialise',
    'v1 Pod detailed',
    {
      status: {
        initContainerStatuses: [
          {
            name: 'prepare',
            image: 'b',
            imageID: '',
            ready: false,
            restartCount: 2,
            state: { terminated: { exitCode: 7 } },
          },
        ],
      },
    },
    'status',
  ),
  change(
    'a pod with a sidecar',
    'v1 Pod detailed',
    {
      status: {
        phase: 'Running',
        initContainerStatuses: [
          {
            name: 'prepare',
            image: 'b',
            imageID: '',
            ready: true,
            restartCount: 0,
            state: { terminated: { exitCode: 0 } },
          },
          {
            name: 'proxy',
            image: 'b',
            imageID: '',
            ready: true,
            started: true,
            restartCount: 1,
            state: { running: {} },
          },
        ],
        containerStatuses: [
          { name: 'web', image: 'n', imageID: '', ready: true, restartCount: 1, state: { running: {} } },
        ],
      },
    },
    'status',
  ),
  change(
    'a ready node',
    'v1 Node node-1',
    {
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        addresses: [
          { type: 'InternalIP', address: '10.0.0.1' },
          { type: 'ExternalIP', address: '192.0.2.1' },
        ],
        nodeInfo: {
          kubeletVersion: 'v1.36.3',
          osImage: 'Debian',
          kernelVersion: '6.1',
          containerRuntimeVersion: 'containerd://2.2',
        },
      },
    },
    'status',
  ),
  change(
    'a Deployment that rolls',
    'apps/v1 Deployment web',
    { status: { replicas: 4, updatedReplicas: 2, readyReplicas: 3, availableReplicas: 3 } },
    'status',
  ),
  change('a ReplicaSet', 'apps/v1 ReplicaSet web', { status: { replicas: 2, readyReplicas: 1 } }, 'status'),
  change('a StatefulSet', 'apps/v1 StatefulSet db', { status: { replicas: 2, readyReplicas: 1 } }, 'status'),
  change(
    'a DaemonSet',
    'apps/v1 DaemonSet agent',
    {
      status: {
        desiredNumberScheduled: 5,
        currentNumberScheduled: 4,
        numberReady: 3,
        updatedNumberScheduled: 2,
        numberAvailable: 1,
        numberMisscheduled: 0,
      },
    },
    'status',
  ),
  change('a Job that runs', 'batch/v1 Job indexed', { status: { startTime: TIME, active: 1 } }, 'status'),
  change(
    'a Job that is suspended',
    'batch/v1 Job pi',
    { status: { conditions: [{ type: 'Suspended', status: 'True' }] } },
    'status',
  ),
  change(
    'a CronJob that has run',
    'batch/v1 CronJob nightly',
    { status: { active: [{ name: 'a' }], lastScheduleTime: TIME } },
    'status',
  ),
  change(
    'a budget',
    'policy/v1 PodDisruptionBudget web',
    { status: { disruptionsAllowed: 2, currentHealthy: 3, desiredHealthy: 1, expectedPods: 3 } },
    'status',
  ),
  change(
    'an autoscaler',
    'autoscaling/v2 HorizontalPodAutoscaler careful',
    {
      status: {
        currentReplicas: 3,
        desiredReplicas: 3,
        currentMetrics: [{ type: 'Resource', resource: { name: 'memory', current: { averageValue: '512Mi' } } }],
      },
    },
    'status',
  ),
  change(
    'a load balancer',
    'v1 Service public',
    { status: { loadBalancer: { ingress: [{ ip: '192.0.2.9' }] } } },
    'status',
  ),
  change(
    'an Ingress',
    'networking.k8s.io/v1 Ingress web',
    { status: { loadBalancer: { ingress: [{ hostname: 'lb.example.com' }] } } },
    'status',
  ),
  change('a bound volume', 'v1 PersistentVolume disk-1', { spec: { claimRef: { namespace: 'shop', name: 'data' } } }),
  change(
    'a quota',
    'v1 ResourceQuota quota',
    {
      status: {
        hard: { pods: '10', 'requests.cpu': '1', 'limits.memory': '2Gi' },
        used: { pods: '3', 'requests.cpu': '250m', 'limits.memory': '1Gi' },
      },
    },
    'status',
  ),
  change('an attachment', 'storage.k8s.io/v1 VolumeAttachment attach-1', { status: { attached: true } }, 'status'),
];
