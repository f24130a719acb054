import type { ConditionReason } from '@fairway/api/conditions';

const ADVICE: Partial<Record<ConditionReason, string>> = {
  QuotaExceeded: "raise the project's quota, or ask for fewer or smaller nodes (fairway nodepool scale)",
  CredentialInvalid: "give Fairway a valid credential of the project: check the cloud's entry in clouds.yaml",
  FlavorNotFound: 'set spec.flavor of the pool to one of "openstack flavor list"',
  ImageNotFound: 'set spec.image to one of "openstack image list"',
  NetworkNotFound: 'a network cannot be changed: delete the cluster and create it with one of "openstack network list"',
  SubnetNotFound: 'a subnet cannot be changed: delete the cluster and create it with one of "openstack subnet list"',
  RouterNotFound: 'set spec.network.gateway.routerID to one of "openstack router list", or leave it out',
  GatewayMissing: "attach the subnet to a router that has a gateway, or set the cluster's spec.network.gateway.mode",
  ZoneNotFound: 'set spec.availabilityZones of the pool to some of "openstack availability zone list"',
  VolumeTypeNotFound: 'set spec.rootVolume.type to one of "openstack volume type list"',
  ClusterNotFound: 'create the cluster that the pool names, or delete the pool',
  AddressRangeOverlap: 'delete the cluster and create it with other address ranges',
  AddressesExhausted: 'the subnet has no free addresses: free some ports, or use a larger subnet',
  AntiAffinityUnsatisfiable: 'the cloud has fewer free hypervisors than the pool has nodes: scale it down',
  PodDisruptionBudget:
    'a PodDisruptionBudget of the cluster blocks the eviction: add replicas, or change the budget (kubectl get pdb -A)',
  ResourceInUse: "something that Fairway did not create still uses the cluster's network: delete it, or detach it",
  ServerStopped:
    'start the server again (openstack server start), or leave it: Fairway repairs the node half an hour after it was stopped',
  TooManyUnhealthy:
    'so many nodes are broken that it is not the nodes: look at the network, the image and the pod network of the cluster',
  HealingDisabled: 'set spec.healing.enabled of the pool, or delete the Machine, which replaces it',
  ExcludedFromHealing: 'remove the annotation fairway.dev/exclude-from-healing from the Machine',
  ServerLocked: 'unlock the server: openstack server unlock',
  ReinstallNotSupported: 'delete the Machine to have it replaced by a new one',
  Hibernated: 'wake the cluster (fairway cluster wake NAME)',
  Paused: 'resume the cluster (fairway cluster resume NAME), or remove the annotation fairway.dev/paused',
  DatabaseFull:
    'delete objects of the cluster (old Jobs, Events, Helm releases), or add nodes if the plan raises the quota with them',
  SnapshotNotFound: 'choose one of "fairway cluster snapshots NAME"',
  SnapshotFailed: 'the operator has to fix what the message says',
  RestoreFailed: 'the operator has to fix what the message says; Fairway retries',
  PlanNotFound: 'the operator has removed the plan: ask for it, or create the cluster with another one',
  VersionNotOffered: 'set spec.version to one that the operator offers (kubectl get kubernetesreleases)',
  ProgramsMissing:
    'the operator has to download the programs of the version ("fairway releases fetch VERSION"); Fairway finds them within a minute',
  PermissionDenied: "the operator has to assign the required roles in the project to Fairway's user",
  ConfigurationInvalid: "the operator has to fix Fairway's configuration: look at its log",
  ControlPlaneFailed: "the operator has to look at the control plane: look at Fairway's log",
  InternalError: "the operator has to look at Fairway's log, and report the error",
  CloudUnavailable: 'nothing: Fairway continues when the cloud is available again (fairway doctor --cloud NAME)',
  RateLimited: 'nothing: Fairway continues when the rate limit allows it',
  FlavorOutOfStock: 'wait for the cloud, or create a pool of another flavor or in another zone',
  ServerFailed: 'Fairway retries; if it persists, ask the operator of the cloud',
  DrainHeld: 'let the pods go (more replicas, a looser PodDisruptionBudget), or "fairway machine drain NAME --force"',
  ServerVanished: 'nothing: Fairway replaces the machine; where healing is off, delete the Machine',
};

/** Advice for a condition's reason; undefined if Fairway is simply progressing. */
export function adviceFor(reason: string): string | undefined {
  return ADVICE[reason as ConditionReason];
}
