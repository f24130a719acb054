import type { ConditionReason } from '@fairway/api/conditions';

const ADVICE: Partial<Record<ConditionReason, string>> = {
  QuotaExceeded: "raise the project's quota, or ask for fewer or smaller nodes (fairway nodepool scale)",
  CredentialInvalid:
    "give Fairway a credential of the project that the cloud accepts: look at the cloud's entry in clouds.yaml",
  FlavorNotFound: 'a flavor cannot be changed: delete the pool and create one with a flavor of "openstack flavor list"',
  ImageNotFound: 'set spec.image to one of "openstack image list"',
  NetworkNotFound: 'a network cannot be changed: delete the cluster and create it with one of "openstack network list"',
  SubnetNotFound: 'a subnet cannot be changed: delete the cluster and create it with one of "openstack subnet list"',
  RouterNotFound: 'set spec.network.gateway.routerID to one of "openstack router list", or leave it out',
  GatewayMissing: "attach the subnet to a router that has a gateway, or set the cluster's spec.network.gateway.mode",
  ZoneNotFound:
    'zones cannot be changed: delete the pool and create one with zones of "openstack availability zone list"',
  VolumeTypeNotFound: 'set spec.rootVolume.type to one of "openstack volume type list"',
  ClusterNotFound: 'create the cluster that the pool names, or delete the pool',
  AddressRangeOverlap: 'delete the cluster and create it with other address ranges',
  AddressesExhausted: 'the subnet has no address left: free some ports, or use a larger subnet',
  AntiAffinityUnsatisfiable: 'the cloud has fewer hypervisors free than the pool wants nodes: scale it down',
  PodDisruptionBudget:
    'a PodDisruptionBudget of the cluster lets no pod go: add replicas, or change the budget (kubectl get pdb -A)',
  FinalizerBlocked: 'something holds the object by a finalizer: look at metadata.finalizers',
  ResourceInUse: "something that Fairway did not make still uses the cluster's network: delete it, or detach it",
  Paused: 'resume the cluster (fairway cluster resume NAME), or remove the annotation fairway.dev/paused',
  DatabaseFull:
    'delete objects of the cluster (old Jobs, Events, releases of Helm), or add nodes where the plan gives more for them',
  SnapshotNotFound: 'choose one of "fairway cluster snapshots NAME"',
  SnapshotFailed: 'the operator has to make snapshots possible: the message says what hinders them',
  RestoreFailed: 'the operator has to do what the message says; Fairway tries again',
  PlanNotFound: 'the operator has withdrawn the plan: ask for it, or create the cluster with another',
  VersionNotOffered: 'set spec.version to one that the operator offers (kubectl get kubernetesreleases)',
  PermissionDenied: "the operator has to give Fairway's user the roles that it needs in the project",
  ConfigurationInvalid: "the operator has to fix Fairway's configuration: look at its log",
  ControlPlaneFailed: "the operator has to look at the control plane: look at Fairway's log",
  InternalError: "the operator has to look at Fairway's log, and report the error",
  CloudUnavailable: 'nothing: Fairway continues when the cloud answers again (fairway doctor --cloud NAME)',
  RateLimited: 'nothing: Fairway continues when the cloud lets it',
  FlavorOutOfStock: 'wait for the cloud, or create a pool of another flavor or in another zone',
  ServerFailed: 'Fairway tries again; if it stays so, ask the operator of the cloud',
  ServerVanished: 'nothing: Fairway replaces the machine',
};

/** What a person can do while a condition has this reason; undefined where Fairway is simply at work. */
export function adviceFor(reason: string): string | undefined {
  return ADVICE[reason as ConditionReason];
}
