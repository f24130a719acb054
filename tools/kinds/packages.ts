/**
 * The models of @kubernetes/client-node to generate, grouped by the Go package in upstream's OpenAPI names. Models that
 * a listed model refers to are included in the first package that reaches them, so `meta` and `core` come first.
 */
export interface ModelPackage {
  /** Prefix for the definitions' names, such as `io.k8s.api.core.v1`. */
  readonly name: string;
  /** Model classes. Those with a `group` are kinds. */
  readonly models: readonly string[];
  /** Group and version of the kinds among `models`; not set for the types in `meta/v1`. */
  readonly groupVersion?: { readonly group: string; readonly version: string };
}

function api(path: string, group: string, version: string, models: readonly string[]): ModelPackage {
  return { name: `io.k8s.api.${path}.${version}`, groupVersion: { group, version }, models };
}

export const MODEL_PACKAGES: readonly ModelPackage[] = [
  {
    name: 'io.k8s.apimachinery.pkg.apis.meta.v1',
    models: [
      'V1ObjectMeta',
      'V1ListMeta',
      'V1LabelSelector',
      'V1Condition',
      'V1DeleteOptions',
      'V1Status',
      'V1FieldSelectorRequirement',
    ],
  },
  api('core', '', 'v1', [
    'V1Namespace',
    'V1Pod',
    'V1PodTemplate',
    'V1Node',
    'V1Service',
    'V1Endpoints',
    'V1ConfigMap',
    'V1Secret',
    'V1ServiceAccount',
    'CoreV1Event',
    'V1PersistentVolume',
    'V1PersistentVolumeClaim',
    'V1ReplicationController',
    'V1LimitRange',
    'V1ResourceQuota',
    'V1Binding',
    // These types are used only by other groups.
    'V1TopologySelectorTerm',
  ]),
  api('authentication', 'authentication.k8s.io', 'v1', [
    'V1TokenReview',
    'V1SelfSubjectReview',
    'AuthenticationV1TokenRequest',
  ]),
  api('authorization', 'authorization.k8s.io', 'v1', [
    'V1SubjectAccessReview',
    'V1LocalSubjectAccessReview',
    'V1SelfSubjectAccessReview',
    'V1SelfSubjectRulesReview',
  ]),
  api('apps', 'apps', 'v1', ['V1Deployment', 'V1ReplicaSet', 'V1StatefulSet', 'V1DaemonSet', 'V1ControllerRevision']),
  api('batch', 'batch', 'v1', ['V1Job', 'V1CronJob']),
  api('policy', 'policy', 'v1', ['V1PodDisruptionBudget', 'V1Eviction']),
  api('autoscaling', 'autoscaling', 'v1', ['V1HorizontalPodAutoscaler', 'V1Scale']),
  api('autoscaling', 'autoscaling', 'v2', ['V2HorizontalPodAutoscaler']),
  api('storage', 'storage.k8s.io', 'v1', [
    'V1StorageClass',
    'V1CSIDriver',
    'V1CSINode',
    'V1VolumeAttachment',
    'V1CSIStorageCapacity',
    'V1VolumeAttributesClass',
  ]),
  api('coordination', 'coordination.k8s.io', 'v1', ['V1Lease']),
  api('discovery', 'discovery.k8s.io', 'v1', ['V1EndpointSlice']),
  api('events', 'events.k8s.io', 'v1', ['EventsV1Event']),
  api('networking', 'networking.k8s.io', 'v1', [
    'V1Ingress',
    'V1IngressClass',
    'V1NetworkPolicy',
    'V1IPAddress',
    'V1ServiceCIDR',
  ]),
  api('rbac', 'rbac.authorization.k8s.io', 'v1', ['V1Role', 'V1ClusterRole', 'V1RoleBinding', 'V1ClusterRoleBinding']),
  api('certificates', 'certificates.k8s.io', 'v1', ['V1CertificateSigningRequest']),
  api('scheduling', 'scheduling.k8s.io', 'v1', ['V1PriorityClass']),
  api('resource', 'resource.k8s.io', 'v1', [
    'ResourceV1ResourceClaim',
    'V1ResourceClaimTemplate',
    'V1ResourceSlice',
    'V1DeviceClass',
  ]),
  api('node', 'node.k8s.io', 'v1', ['V1RuntimeClass']),
  api('flowcontrol', 'flowcontrol.apiserver.k8s.io', 'v1', ['V1FlowSchema', 'V1PriorityLevelConfiguration']),
  api('admissionregistration', 'admissionregistration.k8s.io', 'v1', [
    'V1MutatingWebhookConfiguration',
    'V1ValidatingWebhookConfiguration',
    'V1ValidatingAdmissionPolicy',
    'V1ValidatingAdmissionPolicyBinding',
    'V1MutatingAdmissionPolicy',
    'V1MutatingAdmissionPolicyBinding',
  ]),
  {
    name: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
    groupVersion: { group: 'apiextensions.k8s.io', version: 'v1' },
    models: ['V1CustomResourceDefinition'],
  },
  {
    name: 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1',
    groupVersion: { group: 'apiregistration.k8s.io', version: 'v1' },
    models: ['V1APIService'],
  },
];

/** The models of a package that are kinds, not just listed types. */
export function isKind(model: string, properties: readonly string[]): boolean {
  return model !== 'V1Status' && properties.includes('kind') && properties.includes('metadata');
}
