import { load } from 'js-yaml';

/**
 * Manifests as users and controllers send them, in groups. This server and kube-apiserver must return the same result
 * for each.
 */

/** Created before the other manifests. */
export const NAMESPACE = 'shop';

function manifests(text: string): readonly Manifest[] {
  return text
    .split(/^---$/m)
    .filter((part) => part.trim() !== '')
    .map((part) => load(part) as Manifest);
}

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

/** Accepted, and returned with defaults. */
export const ACCEPTED_MANIFESTS: readonly Manifest[] = manifests(`
apiVersion: v1
kind: Namespace
metadata: {name: team-a, labels: {team: a}}
---
apiVersion: v1
kind: Pod
metadata: {name: plain}
spec: {containers: [{name: web, image: nginx}]}
---
apiVersion: v1
kind: Pod
metadata: {name: detailed, labels: {app: web}}
spec:
  restartPolicy: OnFailure
  serviceAccountName: robot
  hostNetwork: true
  nodeSelector: {disk: ssd}
  tolerations: [{key: dedicated, operator: Equal, value: db, effect: NoSchedule}, {operator: Exists}]
  initContainers:
  - {name: prepare, image: "busybox:1.36", command: [sh, -c, "echo hi"]}
  - {name: proxy, image: "envoy@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", restartPolicy: Always}
  containers:
  - name: web
    image: registry.example.com:5000/shop/web:latest
    ports: [{containerPort: 8080, name: http}, {containerPort: 53, protocol: UDP}]
    env:
    - {name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}
    - {name: CPU, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}
    - {name: PASSWORD, valueFrom: {secretKeyRef: {name: s, key: k}}}
    resources: {limits: {cpu: 1, memory: 1024Mi}, requests: {cpu: 0.1}}
    livenessProbe: {httpGet: {port: http}}
    readinessProbe: {tcpSocket: {port: 8080}, periodSeconds: 5}
    startupProbe: {grpc: {port: 9090}}
    lifecycle: {preStop: {httpGet: {port: 8080, path: /bye}}}
    volumeMounts: [{name: data, mountPath: /data}, {name: all, mountPath: /all}]
  volumes:
  - {name: data, emptyDir: {sizeLimit: 1024Mi}}
  - {name: nothing}
  - {name: secret, secret: {secretName: s}}
  - {name: config, configMap: {name: c}}
  - {name: host, hostPath: {path: /etc}}
  - {name: claim, persistentVolumeClaim: {claimName: data}}
  - {name: info, downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}}]}}
  - name: all
    projected:
      sources:
      - {serviceAccountToken: {path: token}}
      - {configMap: {name: c}}
      - {downwardAPI: {items: [{path: name, fieldRef: {fieldPath: metadata.name}}]}}
  - name: scratch
    ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}
  topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [a, b]}]}]
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - {weight: 100, podAffinityTerm: {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}}
---
apiVersion: v1
kind: Pod
metadata: {name: odd}
spec:
  terminationGracePeriodSeconds: -5
  containers: [{name: a, image: a, ports: [{containerPort: 80}, {containerPort: 80, name: again}]}]
---
apiVersion: v1
kind: Pod
metadata: {name: guaranteed}
spec:
  schedulingGates: [{name: example.com/wait}]
  containers: [{name: a, image: "a:1", resources: {limits: {cpu: 500m, memory: 1Gi}}}]
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: http}]}
---
apiVersion: v1
kind: Service
metadata: {name: headless}
spec: {clusterIP: None, selector: {app: web}, ports: [{port: 80, name: a}, {port: 81, name: b, protocol: UDP}]}
---
apiVersion: v1
kind: Service
metadata: {name: public}
spec: {type: LoadBalancer, sessionAffinity: ClientIP, selector: {app: web}, ports: [{port: 443}]}
---
apiVersion: v1
kind: Service
metadata: {name: node-port}
spec: {type: NodePort, externalTrafficPolicy: Local, selector: {app: web}, ports: [{port: 443}]}
---
apiVersion: v1
kind: Service
metadata: {name: outside}
spec: {type: ExternalName, externalName: example.com}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {a: "1", b.conf: "x=y"}
binaryData: {c: AAEC}
---
apiVersion: v1
kind: Secret
metadata: {name: password}
data: {a: YQ==}
stringData: {a: b, c: d}
---
apiVersion: v1
kind: Secret
metadata: {name: cert}
type: kubernetes.io/tls
stringData: {tls.crt: x, tls.key: y}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: robot}
secrets: [{name: password}]
imagePullSecrets: [{name: registry}]
---
apiVersion: v1
kind: Event
metadata: {name: hello.1}
involvedObject: {kind: Pod, name: plain, namespace: shop, fieldPath: "spec.containers{web}"}
type: Normal
reason: Started
message: Started container
count: 3
source: {component: kubelet, host: node-1}
firstTimestamp: "2026-01-01T00:00:00Z"
lastTimestamp: "2026-01-01T00:05:00Z"
---
apiVersion: events.k8s.io/v1
kind: Event
metadata: {name: hello.2}
regarding: {kind: Pod, name: plain, namespace: shop}
eventTime: "2026-01-01T00:00:00.000000Z"
type: Warning
reason: Failed
action: Pulling
note: It failed
reportingController: example.com/x
reportingInstance: x-1
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk-1}
spec:
  capacity: {storage: 10240Mi}
  accessModes: [ReadWriteOnce, ReadOnlyMany]
  csi: {driver: cinder.csi.openstack.org, volumeHandle: abc}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [a]}]}]}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 10Gi}}}
---
apiVersion: v1
kind: ReplicationController
metadata: {name: old}
spec:
  template: {metadata: {labels: {app: old}}, spec: {containers: [{name: a, image: a}]}}
---
apiVersion: v1
kind: LimitRange
metadata: {name: limits}
spec:
  limits:
  - {type: Container, max: {cpu: 2, memory: 1024Mi}, min: {cpu: 100m}}
  - {type: Pod, max: {cpu: 4}}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: quota}
spec: {hard: {pods: 10, requests.cpu: 1000m, limits.memory: 2048Mi}}
---
apiVersion: v1
kind: PodTemplate
metadata: {name: template}
template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: a}]}}
---
apiVersion: v1
kind: Endpoints
metadata: {name: external}
subsets: [{addresses: [{ip: 192.0.2.1}], ports: [{port: 80}]}]
---
apiVersion: v1
kind: Node
metadata: {name: node-1, labels: {node-role.kubernetes.io/worker: ""}}
spec: {podCIDR: 10.2.0.0/24, taints: [{key: a, effect: NoSchedule}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: nginx}]}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: recreate}
spec:
  replicas: 0
  strategy: {type: Recreate}
  selector: {matchExpressions: [{key: app, operator: In, values: [recreate]}]}
  template: {metadata: {labels: {app: recreate}}, spec: {containers: [{name: web, image: "nginx:1"}], securityContext: {runAsNonRoot: true}}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: nginx}]}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: db, image: "postgres:16"}]}}
  volumeClaimTemplates:
  - {metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 10240Mi}}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template: {metadata: {labels: {app: agent}}, spec: {nodeSelector: {os: linux}, containers: [{name: agent, image: agent}]}}
---
apiVersion: apps/v1
kind: ControllerRevision
metadata: {name: rev-1}
revision: 1
data: {spec: {a: 1}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: pi}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: pi, image: "perl:5.34"}]}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: queue}
spec:
  parallelism: 3
  backoffLimit: 1
  template: {metadata: {labels: {a: b}}, spec: {restartPolicy: OnFailure, containers: [{name: pi, image: "perl:5.34"}]}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: indexed}
spec:
  completions: 5
  completionMode: Indexed
  backoffLimitPerIndex: 1
  podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}
  template: {spec: {restartPolicy: Never, containers: [{name: pi, image: "perl:5.34"}]}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: "0 2 * * *"
  timeZone: Europe/Berlin
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {minAvailable: 50%, selector: {matchLabels: {app: web}}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {maxReplicas: 5, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: careful}
spec:
  minReplicas: 2
  maxReplicas: 5
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  behavior: {scaleDown: {stabilizationWindowSeconds: 60}}
  metrics: [{type: Resource, resource: {name: memory, target: {type: AverageValue, averageValue: 1024Mi}}}]
---
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata: {name: old}
spec: {maxReplicas: 5, targetCPUUtilizationPercentage: 60, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
provisioner: cinder.csi.openstack.org
parameters: {type: ssd}
---
apiVersion: storage.k8s.io/v1
kind: CSIDriver
metadata: {name: cinder.csi.openstack.org}
spec: {}
---
apiVersion: storage.k8s.io/v1
kind: CSINode
metadata: {name: node-1}
spec: {drivers: [{name: cinder.csi.openstack.org, nodeID: abc, topologyKeys: [zone]}]}
---
apiVersion: storage.k8s.io/v1
kind: VolumeAttachment
metadata: {name: attach-1}
spec: {attacher: cinder.csi.openstack.org, nodeName: node-1, source: {persistentVolumeName: disk-1}}
---
apiVersion: storage.k8s.io/v1
kind: CSIStorageCapacity
metadata: {name: capacity-1}
storageClassName: fast
capacity: 100Gi
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: leader}
spec: {holderIdentity: me, leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.000000Z"}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}
addressType: IPv4
endpoints: [{addresses: [10.2.0.1], conditions: {ready: true}}]
ports: [{port: 80}]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec:
  ingressClassName: nginx
  tls: [{hosts: [shop.example.com], secretName: cert}]
  rules:
  - host: shop.example.com
    http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: nginx}
spec: {controller: k8s.io/ingress-nginx, parameters: {apiGroup: example.com, kind: Params, name: p}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: isolate}
spec:
  podSelector: {matchLabels: {app: web}}
  ingress: [{from: [{podSelector: {}}, {ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16]}}], ports: [{port: 80}, {port: 8000, endPort: 9000}]}]
  egress: [{to: [{namespaceSelector: {matchLabels: {a: b}}}]}]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: deny}
spec: {podSelector: {}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: "system:pods"}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: all}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}]}
rules: [{nonResourceURLs: [/metrics], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: pods}
roleRef: {kind: Role, name: "system:pods"}
subjects: [{kind: User, name: alice}, {kind: Group, name: dev}, {kind: ServiceAccount, name: robot, namespace: shop}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: all}
roleRef: {kind: ClusterRole, name: all}
subjects: [{kind: User, name: alice}]
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 1000
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: gvisor}
handler: runsc
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: policy}
webhooks:
- name: policy.example.com
  sideEffects: None
  admissionReviewVersions: [v1]
  clientConfig: {service: {name: policy, namespace: shop}}
  rules: [{apiGroups: [none.example.com], apiVersions: [v1], operations: [CREATE], resources: [things]}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: policy}
webhooks:
- name: policy.example.com
  sideEffects: None
  admissionReviewVersions: [v1]
  clientConfig: {url: "https://example.com/"}
  rules: [{apiGroups: [none.example.com], apiVersions: [v1], operations: [CREATE], resources: [things]}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: policy}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [none.example.com], apiVersions: [v1], operations: [CREATE], resources: [things]}]}
  validations: [{expression: "true"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: policy}
spec: {policyName: policy, validationActions: [Deny]}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.none.example.com}
spec: {group: none.example.com, version: v1, groupPriorityMinimum: 100, versionPriority: 10, insecureSkipTLSVerify: true, service: {name: none, namespace: shop}}
`);

/** Kinds missing before release 1.36, and one whose defaults include the requester. */
export const RECENT_MANIFESTS: readonly Manifest[] = manifests(`
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: policy}
spec:
  reinvocationPolicy: Never
  matchConstraints: {resourceRules: [{apiGroups: [none.example.com], apiVersions: [v1], operations: [CREATE], resources: [things]}]}
  mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{}"}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: policy}
spec: {policyName: policy}
---
apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: alice}
spec:
  request: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlHZ01GUUNBUUF3SVRFUE1BMEdBMVVFQ2d3R2RHVmhiUzFoTVE0d0RBWURWUVFEREFWaGJHbGpaVEFxTUFVRwpBeXRsY0FNaEFQSzI5bUVRMlc5eGhyZ3ExMHV3bTh3emhMWW5kWjFwcklGMjdQNTMrVElib0FBd0JRWURLMlZ3CkEwRUFmc3JXRC9idEFyanZ1OTFNbVQ3c0l2QmdtTnh6b2VIWWRLYmZmTlVMVGNvbnhmeXZBczBTSEFLbGhoMkQKZ0p3Uk94TlVUZU1nNy90ZHl6Rk1ReW1jQ0E9PQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K
  signerName: example.com/people
  usages: [client auth, digital signature]
---
apiVersion: storage.k8s.io/v1
kind: VolumeAttributesClass
metadata: {name: fast}
driverName: cinder.csi.openstack.org
parameters: {iops: "500"}
---
apiVersion: networking.k8s.io/v1
kind: ServiceCIDR
metadata: {name: more}
spec: {cidrs: [10.96.0.0/16]}
---
apiVersion: networking.k8s.io/v1
kind: IPAddress
metadata: {name: 10.96.0.7}
spec: {parentRef: {resource: services, namespace: shop, name: web}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: "device.driver == 'gpu.example.com'"}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: one-gpu}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: one-gpu}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: node-1-gpus}
spec:
  driver: gpu.example.com
  nodeName: node-1
  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0, attributes: {model: {string: a}}, capacity: {memory: {value: 16384Mi}}}]
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: builds}
spec:
  priorityLevelConfiguration: {name: builds}
  distinguisherMethod: {type: ByNamespace}
  rules:
    - subjects: [{kind: ServiceAccount, serviceAccount: {name: builder, namespace: ci}}]
      resourceRules: [{verbs: [list, watch], apiGroups: [""], resources: [pods, pods/log], namespaces: [ci]}]
      nonResourceRules: [{verbs: [get], nonResourceURLs: [/version, /apis/*]}]
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: builds}
spec:
  type: Limited
  limited:
    borrowingLimitPercent: 50
    limitResponse: {type: Queue, queuing: {queues: 16}}
`);
