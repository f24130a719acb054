import type { ConditionReason } from '@fairway/api/conditions';

const ADVICE: Partial<Record<ConditionReason, string>> = {
  QuotaExceeded: "raise the project's quota, or request fewer or smaller nodes (fairway nodepool scale)",
  CredentialInvalid: "give Fairway a valid credential of the project: check the cloud's entry in clouds.yaml",
  FlavorNotFound: 'set spec.flavor of the pool to one of "openstack flavor list"',
  ImageNotFound: 'set spec.image to one of "openstack image list"',
  NetworkNotFound:
    'set spec.networks of the pool to some of "openstack network list"; the network of a cluster cannot be changed: delete the cluster and create it with another network',
  SubnetNotFound:
    'set spec.networks of the pool to networks and subnets of "openstack subnet list"; the subnet of a cluster cannot be changed: delete the cluster and create it with another subnet',
  RouterNotFound: 'set spec.network.gateway.routerID to one of "openstack router list", or remove it',
  GatewayMissing: "attach the subnet to a router that has a gateway, or set the cluster's spec.network.gateway.mode",
  SecurityGroupNotFound: 'create it, or set spec.securityGroups of the pool to some of "openstack security group list"',
  ZoneNotFound: 'set spec.availabilityZones of the pool to some of "openstack availability zone list"',
  VolumeTypeNotFound: 'set spec.rootVolume.type to one of "openstack volume type list"',
  ClusterNotFound:
    'create the cluster that the pool names, or correct the name: fairway nodepool update NAME --cluster CLUSTER',
  AddressRangeOverlap:
    'set spec.networks of the pool to networks with other CIDRs; those of a cluster cannot be changed: delete the cluster and create it with others',
  AddressesExhausted: 'the subnet has no free addresses: free some ports, or use a larger subnet',
  AntiAffinityUnsatisfiable: 'the cloud has fewer free hypervisors than the pool has nodes: scale it down',
  PodDisruptionBudget:
    'a PodDisruptionBudget of the cluster blocks the eviction: add replicas, or change the budget (kubectl get pdb -A)',
  ResourceInUse: "a resource that Fairway did not create still uses the cluster's network: delete it, or detach it",
  ServerStopped:
    'start the server again (openstack server start), or wait: Fairway repairs the node half an hour after it was stopped',
  TooManyUnhealthy:
    'too many nodes are unhealthy for the nodes to be the cause: check the network, the image and the pod network of the cluster',
  HealingDisabled: 'set spec.healing.enabled of the pool, or delete the Machine, which replaces it',
  ExcludedFromHealing: 'remove the annotation fairway.dev/exclude-from-healing from the Machine',
  ServerLocked: 'unlock the server: openstack server unlock',
  ReinstallNotSupported: 'delete the Machine to have it replaced by a new one',
  Hibernated: 'wake the cluster up (fairway cluster wake NAME)',
  Paused: 'resume the cluster (fairway cluster resume NAME), or remove the annotation fairway.dev/paused',
  DatabaseFull:
    'delete objects of the cluster (old Jobs, Events, Helm releases), or add nodes if the plan raises the quota with them',
  SnapshotNotFound: 'choose one of "fairway cluster snapshots NAME"',
  SnapshotFailed: 'the operator must fix the problem in the message',
  RestoreFailed: 'the operator must fix the problem in the message; Fairway retries',
  PlanNotFound: 'the operator has removed the plan: ask for it, or create the cluster with another plan',
  VersionNotOffered: 'set spec.version to one that the operator offers (kubectl get kubernetesreleases)',
  ProgramsMissing:
    'the operator must download the binaries of the version ("fairway releases fetch VERSION"); Fairway finds them within a minute',
  PermissionDenied: "the operator must assign the required roles in the project to Fairway's user",
  ConfigurationInvalid: "the operator must fix Fairway's configuration: see its log",
  ControlPlaneFailed: "the operator must check the control plane: see Fairway's log",
  InternalError: "the operator must check Fairway's log and report the error",
  CloudUnavailable: 'nothing: Fairway continues when the cloud is available again (fairway doctor --cloud NAME)',
  RateLimited: 'nothing: Fairway continues when the rate limit allows it',
  FlavorOutOfStock: 'wait for the cloud, or create a pool of another flavor or in another zone',
  ServerFailed: 'Fairway retries; if it persists, ask the operator of the cloud',
  DrainHeld:
    'let the pods be evicted (more replicas, a looser PodDisruptionBudget), or run "fairway machine drain NAME --force"',
  ServerVanished: 'nothing: Fairway replaces the machine; if healing is disabled, delete the Machine',
};

/** Advice for a condition's reason; undefined if Fairway is simply progressing. */
export function adviceFor(reason: string): string | undefined {
  return ADVICE[reason as ConditionReason];
}
