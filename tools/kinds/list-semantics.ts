/**
 * Defines how lists and maps merge, which is missing in the models of @kubernetes/client-node: upstream's `+listType`,
 * `+listMapKey`, `+mapType`, `+patchStrategy` and `+patchMergeKey` markers. Other lists are atomic: they are replaced
 * as a whole.
 */
export interface MergeSemantics {
  readonly listType?: 'set' | 'map' | 'atomic';
  readonly mapKeys?: readonly string[];
  readonly mapType?: 'atomic' | 'granular';
  readonly patchStrategy?: 'merge' | 'retainKeys' | 'merge,retainKeys' | 'replace';
  readonly patchMergeKey?: string;
}

/** A list map whose strategic merge key is the (first) map key. */
function keyed(...mapKeys: readonly [string, ...string[]]): MergeSemantics {
  return { listType: 'map', mapKeys, patchStrategy: 'merge', patchMergeKey: mapKeys[0] };
}

/**
 * Like `keyed`, but a strategic merge drops fields that are missing from the patch's entry, as for unions such as
 * volumes.
 */
function keyedUnion(key: string): MergeSemantics {
  return { ...keyed(key), patchStrategy: 'merge,retainKeys' };
}

/** A list map for server-side apply that a strategic merge replaces. */
function applyKeyed(key: string): MergeSemantics {
  return { listType: 'map', mapKeys: [key] };
}

const SET_LIST: MergeSemantics = { listType: 'set' };
const MERGED_SET: MergeSemantics = { listType: 'set', patchStrategy: 'merge' };
const ATOMIC_MAP: MergeSemantics = { mapType: 'atomic' };
const GRANULAR_MAP: MergeSemantics = { mapType: 'granular' };

const CONTAINER = {
  env: keyed('name'),
  ports: keyed('containerPort', 'protocol'),
  volumeDevices: keyed('devicePath'),
  volumeMounts: keyed('mountPath'),
};
const NAMED_CONDITIONS = { matchConditions: keyed('name') };
const CONDITIONS = { conditions: keyed('type') };

/** Indexed by definition (without the prefix `io.k8s.`) and property. */
export const PROPERTY_SEMANTICS: Readonly<Record<string, Readonly<Record<string, MergeSemantics>>>> = {
  'apimachinery.pkg.apis.meta.v1.ObjectMeta': { finalizers: MERGED_SET, ownerReferences: keyed('uid') },
  'api.core.v1.Container': CONTAINER,
  'api.core.v1.EphemeralContainer': CONTAINER,
  'api.core.v1.ContainerRestartRuleOnExitCodes': { values: SET_LIST },
  'api.core.v1.ContainerStatus': { allocatedResourcesStatus: keyed('name'), volumeMounts: keyed('mountPath') },
  'api.core.v1.NamespaceStatus': CONDITIONS,
  'api.core.v1.NodeAllocatableResourceClaimStatus': { containers: SET_LIST },
  'api.core.v1.NodeSpec': { podCIDRs: MERGED_SET },
  'api.core.v1.NodeStatus': { ...CONDITIONS, addresses: keyed('type') },
  'api.core.v1.PersistentVolumeClaimStatus': { ...CONDITIONS, allocatedResourceStatuses: GRANULAR_MAP },
  'api.core.v1.PersistentVolumeSpec': { claimRef: GRANULAR_MAP },
  'api.core.v1.PodSpec': {
    containers: keyed('name'),
    ephemeralContainers: keyed('name'),
    hostAliases: keyed('ip'),
    imagePullSecrets: keyed('name'),
    initContainers: keyed('name'),
    nodeSelector: ATOMIC_MAP,
    resourceClaims: keyedUnion('name'),
    schedulingGates: keyed('name'),
    topologySpreadConstraints: keyed('topologyKey', 'whenUnsatisfiable'),
    volumes: keyedUnion('name'),
  },
  'api.core.v1.PodStatus': {
    ...CONDITIONS,
    hostIPs: { listType: 'atomic', patchStrategy: 'merge', patchMergeKey: 'ip' },
    podIPs: keyed('ip'),
    resourceClaimStatuses: keyedUnion('name'),
  },
  'api.core.v1.ReplicationControllerSpec': { selector: ATOMIC_MAP },
  'api.core.v1.ReplicationControllerStatus': CONDITIONS,
  'api.core.v1.ResourceRequirements': { claims: applyKeyed('name') },
  'api.core.v1.ResourceStatus': { resources: applyKeyed('resourceID') },
  'api.core.v1.ServiceAccount': { secrets: keyed('name') },
  'api.core.v1.ServiceSpec': { ports: keyed('port', 'protocol'), selector: ATOMIC_MAP },
  'api.core.v1.ServiceStatus': CONDITIONS,
  'api.apps.v1.DaemonSetStatus': CONDITIONS,
  'api.apps.v1.DeploymentSpec': { strategy: { patchStrategy: 'retainKeys' } },
  'api.apps.v1.DeploymentStatus': CONDITIONS,
  'api.apps.v1.ReplicaSetStatus': CONDITIONS,
  'api.apps.v1.StatefulSetStatus': CONDITIONS,
  'api.batch.v1.JobStatus': { conditions: { listType: 'atomic', patchStrategy: 'merge', patchMergeKey: 'type' } },
  'api.batch.v1.PodFailurePolicyOnExitCodesRequirement': { values: SET_LIST },
  'api.batch.v1.UncountedTerminatedPods': { failed: SET_LIST, succeeded: SET_LIST },
  'api.policy.v1.PodDisruptionBudgetSpec': { selector: { patchStrategy: 'replace' } },
  'api.policy.v1.PodDisruptionBudgetStatus': CONDITIONS,
  'api.autoscaling.v2.HorizontalPodAutoscalerStatus': CONDITIONS,
  'api.networking.v1.ServiceCIDRStatus': CONDITIONS,
  'api.resource.v1.AllocatedDeviceStatus': { conditions: applyKeyed('type') },
  'api.resource.v1.ResourceClaimStatus': {
    devices: { listType: 'map', mapKeys: ['driver', 'device', 'pool', 'shareID'] },
    reservedFor: keyed('uid'),
  },
  'api.storage.v1.CSIDriverSpec': { volumeLifecycleModes: SET_LIST },
  'api.storage.v1.CSINodeSpec': { drivers: keyed('name') },
  'api.discovery.v1.Endpoint': { addresses: SET_LIST },
  'api.certificates.v1.CertificateSigningRequestStatus': { conditions: applyKeyed('type') },
  'api.node.v1.Scheduling': { nodeSelector: ATOMIC_MAP },
  'api.flowcontrol.v1.FlowSchemaStatus': CONDITIONS,
  'api.flowcontrol.v1.NonResourcePolicyRule': { nonResourceURLs: SET_LIST, verbs: SET_LIST },
  'api.flowcontrol.v1.ResourcePolicyRule': {
    apiGroups: SET_LIST,
    namespaces: SET_LIST,
    resources: SET_LIST,
    verbs: SET_LIST,
  },
  'api.flowcontrol.v1.PriorityLevelConfigurationStatus': CONDITIONS,
  'api.admissionregistration.v1.MutatingWebhook': NAMED_CONDITIONS,
  'api.admissionregistration.v1.MutatingWebhookConfiguration': { webhooks: keyed('name') },
  'api.admissionregistration.v1.ValidatingWebhook': NAMED_CONDITIONS,
  'api.admissionregistration.v1.ValidatingWebhookConfiguration': { webhooks: keyed('name') },
  'api.admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec': { validationActions: SET_LIST },
  'api.admissionregistration.v1.ValidatingAdmissionPolicySpec': { ...NAMED_CONDITIONS, variables: keyed('name') },
  'api.admissionregistration.v1.MutatingAdmissionPolicySpec': NAMED_CONDITIONS,
  'api.admissionregistration.v1.ValidatingAdmissionPolicyStatus': { conditions: applyKeyed('type') },
  'apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionStatus': {
    conditions: applyKeyed('type'),
  },
  'apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps': { 'x-kubernetes-validations': keyed('rule') },
  'kube-aggregator.pkg.apis.apiregistration.v1.APIServiceStatus': CONDITIONS,
};

/**
 * Defaults of omitted key fields of list maps, by the item's definition: upstream's `+default` markers.
 * Without them, `{containerPort: 80}` would differ from its stored form `{containerPort: 80, protocol: TCP}`.
 */
export const KEY_DEFAULTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'api.core.v1.ContainerPort': { protocol: 'TCP' },
  'api.core.v1.LocalObjectReference': { name: '' },
  'api.core.v1.ServicePort': { protocol: 'TCP' },
};

/** Objects that are owned and replaced as one value wherever they occur. */
export const ATOMIC_OBJECTS: ReadonlySet<string> = new Set([
  'apimachinery.pkg.apis.meta.v1.LabelSelector',
  'apimachinery.pkg.apis.meta.v1.OwnerReference',
  'api.core.v1.ConfigMapKeySelector',
  'api.core.v1.EndpointAddress',
  'api.core.v1.EndpointPort',
  'api.core.v1.FileKeySelector',
  'api.core.v1.LocalObjectReference',
  'api.core.v1.NodeSelector',
  'api.core.v1.NodeSelectorTerm',
  'api.core.v1.ObjectFieldSelector',
  'api.core.v1.ObjectReference',
  'api.core.v1.ResourceFieldSelector',
  'api.core.v1.ScopeSelector',
  'api.core.v1.SecretKeySelector',
  'api.core.v1.SecretReference',
  'api.core.v1.TopologySelectorTerm',
  'api.core.v1.TypedLocalObjectReference',
  'api.autoscaling.v1.CrossVersionObjectReference',
  'api.discovery.v1.EndpointPort',
  'api.networking.v1.ServiceBackendPort',
  'api.rbac.v1.RoleRef',
  'api.rbac.v1.Subject',
  'api.admissionregistration.v1.MatchResources',
  'api.admissionregistration.v1.NamedRuleWithOperations',
  'api.admissionregistration.v1.ParamKind',
  'api.admissionregistration.v1.ParamRef',
  'api.admissionregistration.v1.Variable',
]);
