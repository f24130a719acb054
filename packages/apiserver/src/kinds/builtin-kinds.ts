import type { ResourceDefinition } from '../server/resource.ts';
import { ControllerRevisionKind } from './apps/controller-revision.ts';
import { DaemonSetKind } from './apps/daemon-set.ts';
import { DeploymentKind } from './apps/deployment.ts';
import { ReplicaSetKind } from './apps/replica-set.ts';
import { StatefulSetKind } from './apps/stateful-set.ts';
import { HorizontalPodAutoscalerKind } from './autoscaling/horizontal-pod-autoscaler.ts';
import { HorizontalPodAutoscalerV1Kind } from './autoscaling/horizontal-pod-autoscaler-v1.ts';
import { CronJobKind } from './batch/cron-job.ts';
import { JobKind } from './batch/job.ts';
import { ConfigMapKind } from './core/config-map.ts';
import { EndpointsKind } from './core/endpoints.ts';
import { EventKind, EventsV1EventKind } from './core/event.ts';
import { LimitRangeKind, ResourceQuotaKind } from './core/limits.ts';
import { NamespaceKind } from './core/namespace.ts';
import { NodeKind } from './core/node.ts';
import { PersistentVolumeKind } from './core/persistent-volume.ts';
import { PersistentVolumeClaimKind } from './core/persistent-volume-claim.ts';
import { PodTemplateKind } from './core/pod-template.ts';
import { ReplicationControllerKind } from './core/replication-controller.ts';
import { SecretKind } from './core/secret.ts';
import { ServiceKind } from './core/service.ts';
import { ServiceAccountKind } from './core/service-account.ts';
import { FlowSchemaKind } from './flow-control/flow-schema.ts';
import { PriorityLevelConfigurationKind } from './flow-control/priority-level.ts';
import { EndpointSliceKind } from './networking/endpoint-slice.ts';
import { IngressKind } from './networking/ingress.ts';
import { IngressClassKind } from './networking/ingress-class.ts';
import { NetworkPolicyKind } from './networking/network-policy.ts';
import { IPAddressKind, ServiceCIDRKind } from './networking/service-cidr.ts';
import { PodKind } from './pod/pod.ts';
import { PodDisruptionBudgetKind } from './policy/pod-disruption-budget.ts';
import { LeaseKind, PriorityClassKind, RuntimeClassKind } from './policy/scheduling.ts';
import { ClusterRoleBindingKind, RoleBindingKind } from './rbac/role-bindings.ts';
import { ClusterRoleKind, RoleKind } from './rbac/roles.ts';
import { APIServiceKind } from './registration/api-service.ts';
import { CertificateSigningRequestKind } from './registration/certificate-signing-request.ts';
import { MutatingAdmissionPolicyBindingKind, MutatingAdmissionPolicyKind } from './registration/mutating-policies.ts';
import {
  ValidatingAdmissionPolicyBindingKind,
  ValidatingAdmissionPolicyKind,
} from './registration/validating-policies.ts';
import { MutatingWebhookConfigurationKind, ValidatingWebhookConfigurationKind } from './registration/webhooks.ts';
import {
  DeviceClassKind,
  ResourceClaimKind,
  ResourceClaimTemplateKind,
  ResourceSliceKind,
} from './resource/dynamic-resources.ts';
import { CSIDriverKind, CSINodeKind, CSIStorageCapacityKind, VolumeAttachmentKind } from './storage/csi.ts';
import { StorageClassKind } from './storage/storage-class.ts';
import { VolumeAttributesClassKind } from './storage/volume-attributes-class.ts';

/**
 * All built-in kinds by group. Definitions hold no state: one set serves every server in a process.
 * CustomResourceDefinitions and the review kinds (TokenReview, SubjectAccessReview…) are not included, because they
 * act on the server that serves them.
 */
export const KINDS_BY_GROUP: Readonly<Record<string, readonly ResourceDefinition[]>> = {
  '': [
    NamespaceKind,
    NodeKind,
    PodKind,
    ServiceKind,
    EndpointsKind,
    ConfigMapKind,
    SecretKind,
    ServiceAccountKind,
    EventKind,
    PersistentVolumeKind,
    PersistentVolumeClaimKind,
    ReplicationControllerKind,
    LimitRangeKind,
    ResourceQuotaKind,
    PodTemplateKind,
  ],
  apps: [DeploymentKind, ReplicaSetKind, StatefulSetKind, DaemonSetKind, ControllerRevisionKind],
  batch: [JobKind, CronJobKind],
  policy: [PodDisruptionBudgetKind],
  autoscaling: [HorizontalPodAutoscalerKind, HorizontalPodAutoscalerV1Kind],
  'storage.k8s.io': [
    StorageClassKind,
    CSIDriverKind,
    CSINodeKind,
    VolumeAttachmentKind,
    CSIStorageCapacityKind,
    VolumeAttributesClassKind,
  ],
  'coordination.k8s.io': [LeaseKind],
  'discovery.k8s.io': [EndpointSliceKind],
  'events.k8s.io': [EventsV1EventKind],
  'networking.k8s.io': [IngressKind, IngressClassKind, NetworkPolicyKind, ServiceCIDRKind, IPAddressKind],
  'rbac.authorization.k8s.io': [RoleKind, ClusterRoleKind, RoleBindingKind, ClusterRoleBindingKind],
  'certificates.k8s.io': [CertificateSigningRequestKind],
  'scheduling.k8s.io': [PriorityClassKind],
  'resource.k8s.io': [ResourceClaimKind, ResourceClaimTemplateKind, ResourceSliceKind, DeviceClassKind],
  'node.k8s.io': [RuntimeClassKind],
  'flowcontrol.apiserver.k8s.io': [FlowSchemaKind, PriorityLevelConfigurationKind],
  'admissionregistration.k8s.io': [
    MutatingWebhookConfigurationKind,
    ValidatingWebhookConfigurationKind,
    MutatingAdmissionPolicyKind,
    MutatingAdmissionPolicyBindingKind,
    ValidatingAdmissionPolicyKind,
    ValidatingAdmissionPolicyBindingKind,
  ],
  'apiregistration.k8s.io': [APIServiceKind],
};

export const ALL_KINDS: readonly ResourceDefinition[] = Object.values(KINDS_BY_GROUP).flat();

/** Kinds for a server without pods, such as Fairway's own API. */
export const MANAGEMENT_KINDS: readonly ResourceDefinition[] = [
  NamespaceKind,
  ConfigMapKind,
  SecretKind,
  ServiceAccountKind,
  EventKind,
  EventsV1EventKind,
  ResourceQuotaKind,
  LeaseKind,
  RoleKind,
  ClusterRoleKind,
  RoleBindingKind,
  ClusterRoleBindingKind,
  CertificateSigningRequestKind,
  APIServiceKind,
];

/** The definition of a kind by its resource, to replace or extend it: `{ ...kindOf(Pods), subresources }`. */
export function kindOf(type: {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}): ResourceDefinition {
  const found = ALL_KINDS.find(
    ({ group, version, plural }) => group === type.group && version === type.version && plural === type.plural,
  );
  if (found === undefined) throw new Error(`no built-in kind ${type.plural} in ${type.group}/${type.version}`);
  return found;
}
