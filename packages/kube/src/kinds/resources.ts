import type { KubeObject, ResourceType } from '../object/meta.ts';
import type {
  APIService,
  AutoscalingV2HorizontalPodAutoscaler,
  CertificateSigningRequest,
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  ControllerRevision,
  CronJob,
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  DaemonSet,
  Deployment,
  DeviceClass,
  EndpointSlice,
  Endpoints as EndpointsObject,
  Event,
  EventsV1Event,
  FlowSchema,
  HorizontalPodAutoscaler,
  Ingress,
  IngressClass,
  IPAddress,
  Job,
  Lease,
  LimitRange,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  Namespace,
  NetworkPolicy,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  PodTemplate,
  PriorityClass,
  PriorityLevelConfiguration,
  ReplicaSet,
  ReplicationController,
  ResourceClaimTemplate,
  ResourceQuota,
  ResourceSlice,
  ResourceV1ResourceClaim,
  Role,
  RoleBinding,
  RuntimeClass,
  Secret,
  Service,
  ServiceAccount,
  ServiceCIDR,
  StatefulSet,
  StorageClass,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
  VolumeAttachment,
  VolumeAttributesClass,
} from './generated/types.ts';

/** The built-in kinds by resource name, typed: the argument of a client or an informer (`client.resource(Pods)`). */

const NAMESPACED = true;
const CLUSTER = false;

function resource<T extends KubeObject>(
  group: string,
  version: string,
  plural: string,
  kind: string,
  namespaced: boolean = NAMESPACED,
): ResourceType<T> {
  return { group, version, plural, kind, namespaced };
}

export const Namespaces = resource<Namespace>('', 'v1', 'namespaces', 'Namespace', CLUSTER);
export const Pods = resource<Pod>('', 'v1', 'pods', 'Pod');
export const PodTemplates = resource<PodTemplate>('', 'v1', 'podtemplates', 'PodTemplate');
export const Nodes = resource<Node>('', 'v1', 'nodes', 'Node', CLUSTER);
export const Services = resource<Service>('', 'v1', 'services', 'Service');
export const Endpoints = resource<EndpointsObject>('', 'v1', 'endpoints', 'Endpoints');
export const ConfigMaps = resource<ConfigMap>('', 'v1', 'configmaps', 'ConfigMap');
export const Secrets = resource<Secret>('', 'v1', 'secrets', 'Secret');
export const ServiceAccounts = resource<ServiceAccount>('', 'v1', 'serviceaccounts', 'ServiceAccount');
export const Events = resource<Event>('', 'v1', 'events', 'Event');
export const PersistentVolumes = resource<PersistentVolume>('', 'v1', 'persistentvolumes', 'PersistentVolume', CLUSTER);
export const PersistentVolumeClaims = resource<PersistentVolumeClaim>(
  '',
  'v1',
  'persistentvolumeclaims',
  'PersistentVolumeClaim',
);
export const ReplicationControllers = resource<ReplicationController>(
  '',
  'v1',
  'replicationcontrollers',
  'ReplicationController',
);
export const LimitRanges = resource<LimitRange>('', 'v1', 'limitranges', 'LimitRange');
export const ResourceQuotas = resource<ResourceQuota>('', 'v1', 'resourcequotas', 'ResourceQuota');

export const Deployments = resource<Deployment>('apps', 'v1', 'deployments', 'Deployment');
export const ReplicaSets = resource<ReplicaSet>('apps', 'v1', 'replicasets', 'ReplicaSet');
export const StatefulSets = resource<StatefulSet>('apps', 'v1', 'statefulsets', 'StatefulSet');
export const DaemonSets = resource<DaemonSet>('apps', 'v1', 'daemonsets', 'DaemonSet');
export const ControllerRevisions = resource<ControllerRevision>(
  'apps',
  'v1',
  'controllerrevisions',
  'ControllerRevision',
);

export const Jobs = resource<Job>('batch', 'v1', 'jobs', 'Job');
export const CronJobs = resource<CronJob>('batch', 'v1', 'cronjobs', 'CronJob');

export const PodDisruptionBudgets = resource<PodDisruptionBudget>(
  'policy',
  'v1',
  'poddisruptionbudgets',
  'PodDisruptionBudget',
);

export const HorizontalPodAutoscalers = resource<AutoscalingV2HorizontalPodAutoscaler>(
  'autoscaling',
  'v2',
  'horizontalpodautoscalers',
  'HorizontalPodAutoscaler',
);

export const HorizontalPodAutoscalersV1 = resource<HorizontalPodAutoscaler>(
  'autoscaling',
  'v1',
  'horizontalpodautoscalers',
  'HorizontalPodAutoscaler',
);

export const StorageClasses = resource<StorageClass>('storage.k8s.io', 'v1', 'storageclasses', 'StorageClass', CLUSTER);
export const CSIDrivers = resource<CSIDriver>('storage.k8s.io', 'v1', 'csidrivers', 'CSIDriver', CLUSTER);
export const CSINodes = resource<CSINode>('storage.k8s.io', 'v1', 'csinodes', 'CSINode', CLUSTER);
export const VolumeAttachments = resource<VolumeAttachment>(
  'storage.k8s.io',
  'v1',
  'volumeattachments',
  'VolumeAttachment',
  CLUSTER,
);
export const CSIStorageCapacities = resource<CSIStorageCapacity>(
  'storage.k8s.io',
  'v1',
  'csistoragecapacities',
  'CSIStorageCapacity',
);

export const Leases = resource<Lease>('coordination.k8s.io', 'v1', 'leases', 'Lease');

export const EndpointSlices = resource<EndpointSlice>('discovery.k8s.io', 'v1', 'endpointslices', 'EndpointSlice');

export const EventsV1Events = resource<EventsV1Event>('events.k8s.io', 'v1', 'events', 'Event');

export const Ingresses = resource<Ingress>('networking.k8s.io', 'v1', 'ingresses', 'Ingress');
export const IngressClasses = resource<IngressClass>(
  'networking.k8s.io',
  'v1',
  'ingressclasses',
  'IngressClass',
  CLUSTER,
);
export const NetworkPolicies = resource<NetworkPolicy>('networking.k8s.io', 'v1', 'networkpolicies', 'NetworkPolicy');

export const Roles = resource<Role>('rbac.authorization.k8s.io', 'v1', 'roles', 'Role');
export const ClusterRoles = resource<ClusterRole>(
  'rbac.authorization.k8s.io',
  'v1',
  'clusterroles',
  'ClusterRole',
  CLUSTER,
);
export const RoleBindings = resource<RoleBinding>('rbac.authorization.k8s.io', 'v1', 'rolebindings', 'RoleBinding');
export const ClusterRoleBindings = resource<ClusterRoleBinding>(
  'rbac.authorization.k8s.io',
  'v1',
  'clusterrolebindings',
  'ClusterRoleBinding',
  CLUSTER,
);

export const CertificateSigningRequests = resource<CertificateSigningRequest>(
  'certificates.k8s.io',
  'v1',
  'certificatesigningrequests',
  'CertificateSigningRequest',
  CLUSTER,
);

export const PriorityClasses = resource<PriorityClass>(
  'scheduling.k8s.io',
  'v1',
  'priorityclasses',
  'PriorityClass',
  CLUSTER,
);

export const ResourceClaims = resource<ResourceV1ResourceClaim>(
  'resource.k8s.io',
  'v1',
  'resourceclaims',
  'ResourceClaim',
);
export const ResourceClaimTemplates = resource<ResourceClaimTemplate>(
  'resource.k8s.io',
  'v1',
  'resourceclaimtemplates',
  'ResourceClaimTemplate',
);
export const ResourceSlices = resource<ResourceSlice>(
  'resource.k8s.io',
  'v1',
  'resourceslices',
  'ResourceSlice',
  CLUSTER,
);
export const DeviceClasses = resource<DeviceClass>('resource.k8s.io', 'v1', 'deviceclasses', 'DeviceClass', CLUSTER);

export const ServiceCIDRs = resource<ServiceCIDR>('networking.k8s.io', 'v1', 'servicecidrs', 'ServiceCIDR', CLUSTER);
export const IPAddresses = resource<IPAddress>('networking.k8s.io', 'v1', 'ipaddresses', 'IPAddress', CLUSTER);

export const VolumeAttributesClasses = resource<VolumeAttributesClass>(
  'storage.k8s.io',
  'v1',
  'volumeattributesclasses',
  'VolumeAttributesClass',
  CLUSTER,
);

export const RuntimeClasses = resource<RuntimeClass>('node.k8s.io', 'v1', 'runtimeclasses', 'RuntimeClass', CLUSTER);

export const FlowSchemas = resource<FlowSchema>(
  'flowcontrol.apiserver.k8s.io',
  'v1',
  'flowschemas',
  'FlowSchema',
  CLUSTER,
);
export const PriorityLevelConfigurations = resource<PriorityLevelConfiguration>(
  'flowcontrol.apiserver.k8s.io',
  'v1',
  'prioritylevelconfigurations',
  'PriorityLevelConfiguration',
  CLUSTER,
);

export const MutatingWebhookConfigurations = resource<MutatingWebhookConfiguration>(
  'admissionregistration.k8s.io',
  'v1',
  'mutatingwebhookconfigurations',
  'MutatingWebhookConfiguration',
  CLUSTER,
);
export const ValidatingWebhookConfigurations = resource<ValidatingWebhookConfiguration>(
  'admissionregistration.k8s.io',
  'v1',
  'validatingwebhookconfigurations',
  'ValidatingWebhookConfiguration',
  CLUSTER,
);
export const MutatingAdmissionPolicies = resource<MutatingAdmissionPolicy>(
  'admissionregistration.k8s.io',
  'v1',
  'mutatingadmissionpolicies',
  'MutatingAdmissionPolicy',
  CLUSTER,
);
export const MutatingAdmissionPolicyBindings = resource<MutatingAdmissionPolicyBinding>(
  'admissionregistration.k8s.io',
  'v1',
  'mutatingadmissionpolicybindings',
  'MutatingAdmissionPolicyBinding',
  CLUSTER,
);
export const ValidatingAdmissionPolicies = resource<ValidatingAdmissionPolicy>(
  'admissionregistration.k8s.io',
  'v1',
  'validatingadmissionpolicies',
  'ValidatingAdmissionPolicy',
  CLUSTER,
);
export const ValidatingAdmissionPolicyBindings = resource<ValidatingAdmissionPolicyBinding>(
  'admissionregistration.k8s.io',
  'v1',
  'validatingadmissionpolicybindings',
  'ValidatingAdmissionPolicyBinding',
  CLUSTER,
);

export const APIServices = resource<APIService>('apiregistration.k8s.io', 'v1', 'apiservices', 'APIService', CLUSTER);
