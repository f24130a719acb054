/**
 * Condition types. Every kind has Ready, whose message `kubectl get` shows. It summarizes all other conditions except
 * Paused and those marked as not part of Ready.
 */
export const ConditionType = {
  Ready: 'Ready',
  /** Present only while paused; see the annotation fairway.dev/paused. */
  Paused: 'Paused',
  // Cluster
  NetworkReady: 'NetworkReady',
  ControlPlaneReady: 'ControlPlaneReady',
  NodePoolsReady: 'NodePoolsReady',
  SnapshotsReady: 'SnapshotsReady',
  /**
   * Not part of Ready: running workloads keep running without the cloud, and waiting operations report it themselves.
   */
  CloudReachable: 'CloudReachable',
  /**
   * False: the API server runs with settings other than `spec.apiServer`. True: which clients are denied access; absent
   * if no client is denied.
   */
  SettingsApplied: 'SettingsApplied',
  /** Present while hibernated: whether the project's quotas leave room for its nodes. Not part of Ready. */
  WakingPossible: 'WakingPossible',
  /** Whether the add-ons that Fairway installs work: `status.addons`. Not part of Ready. */
  AddonsReady: 'AddonsReady',
  /** Present only while False: why a requested reset does not start. Not part of Ready. */
  ResetPossible: 'ResetPossible',
  /** Present only while True: the CloudCredential reports ExpiresSoon. Not part of Ready. */
  CredentialExpiresSoon: 'CredentialExpiresSoon',
  /**
   * Present only while False: kubeconfigs are being revoked, or certificate authorities are being rotated. Not part of
   * Ready.
   */
  CredentialsStable: 'CredentialsStable',
  /** Present only while True: the cluster's certificate authorities expire soon. Not part of Ready. */
  AuthorityExpiresSoon: 'AuthorityExpiresSoon',
  /** Present if the plan promises more than one control plane replica. Not part of Ready. */
  ControlPlaneHighlyAvailable: 'ControlPlaneHighlyAvailable',
  // Cluster, Plan
  /** Present only while False: the spec has fields that this release accepts but ignores. Not part of Ready. */
  FieldsApplied: 'FieldsApplied',
  /**
   * Present only while False: the version is deprecated, reaches its end of life within 30 days, or has reached it. Not
   * part of Ready.
   */
  VersionSupported: 'VersionSupported',
  // NodePool; UpToDate also on a Cluster, where it is not part of Ready
  MachinesReady: 'MachinesReady',
  UpToDate: 'UpToDate',
  /** Present only while False: nodes are unhealthy and are being repaired or waiting for repair. Not part of Ready. */
  NodesHealthy: 'NodesHealthy',
  /**
   * Present if autoscaling is enabled. False: why the pool does not have the size that its pods need. Not part of
   * Ready.
   */
  Autoscaled: 'Autoscaled',
  /** Present with spec.securityGroups. False: why not all servers have them. Not part of Ready. */
  SecurityGroupsApplied: 'SecurityGroupsApplied',
  // NodePool in a tenant's cluster
  /** False: the last request was rejected, or has not been carried out. */
  Accepted: 'Accepted',
  // Machine
  /**
   * Present with the annotation fairway.dev/keep-for-inspection. True: the machine has been replaced, and its server is
   * kept. Not part of Ready.
   */
  KeptForInspection: 'KeptForInspection',
  // KubernetesRelease
  RolledOut: 'RolledOut',
  /** Present with spec.forcedUpgrade once clusters are due for a forced upgrade. Not part of Ready. */
  EndOfLifeEnforced: 'EndOfLifeEnforced',
  // CloudCredential
  /** Present only while True. Not part of Ready. */
  ExpiresSoon: 'ExpiresSoon',
  // Machine
  ServerReady: 'ServerReady',
  NodeReady: 'NodeReady',
  /** Present only while False: the node needs a repair, which may be waiting. Not part of Ready. */
  HealthCheckSucceeded: 'HealthCheckSucceeded',
  /** Present only while False: why the machine has no floating IP although its pool requests one. Not part of Ready. */
  FloatingIPReady: 'FloatingIPReady',
  /**
   * False: the server needs to be or is being reinstalled; absent if it is up to date. Not part of Ready until the node
   * is drained for it.
   */
  Installed: 'Installed',
  Drained: 'Drained',
} as const;

export type ConditionType = (typeof ConditionType)[keyof typeof ConditionType];

/** Who must act while a condition is not True. */
export type ActionRequiredBy = 'fairway' | 'user' | 'operator' | 'cloud';

/** Condition reasons, each with who must act. */
const REASONS = {
  // The condition is True, or Fairway is making progress.
  AsExpected: 'fairway',
  Provisioning: 'fairway',
  /** Nodes are starting in the meantime. */
  AttachingRouter: 'fairway',
  Updating: 'fairway',
  Restoring: 'fairway',
  Scaling: 'fairway',
  Draining: 'fairway',
  Healing: 'fairway',
  Deleting: 'fairway',
  WaitingForCluster: 'fairway',
  WaitingForNetwork: 'fairway',
  WaitingForControlPlane: 'fairway',
  WaitingForServer: 'fairway',
  WaitingForNode: 'fairway',
  NodeNotReady: 'fairway',
  Terminated: 'fairway',
  WaitingForRollout: 'fairway',
  RepairRequested: 'fairway',
  RepairInProgress: 'fairway',
  WaitingToRepair: 'fairway',
  RepairBackingOff: 'fairway',
  WaitingForPools: 'fairway',
  WaitingForMaintenanceWindow: 'fairway',
  Reinstalling: 'fairway',
  Hibernating: 'fairway',
  RevokingKubeconfigs: 'fairway',
  Resetting: 'fairway',
  PreparingRotation: 'fairway',
  CompletingRotation: 'fairway',
  // The user can fix it.
  Paused: 'user',
  QuotaExceeded: 'user',
  PlanLimitExceeded: 'user',
  ProjectQuotaExceeded: 'user',
  CredentialInvalid: 'user',
  FlavorNotFound: 'user',
  ImageNotFound: 'user',
  NetworkNotFound: 'user',
  ExternalNetworkNotFound: 'user',
  SubnetNotFound: 'user',
  RouterNotFound: 'user',
  SecurityGroupNotFound: 'user',
  GatewayMissing: 'user',
  ZoneNotFound: 'user',
  VolumeTypeNotFound: 'user',
  ClusterNotFound: 'user',
  AddressRangeOverlap: 'user',
  AddressesExhausted: 'user',
  AntiAffinityUnsatisfiable: 'user',
  PodDisruptionBudget: 'user',
  DrainHeld: 'user',
  KeepRequested: 'user',
  KeepRefused: 'user',
  KeptForInspection: 'user',
  KeepEnding: 'user',
  MaxReplicasReached: 'user',
  PodsUnschedulable: 'user',
  ResourceInUse: 'user',
  VolumeInUse: 'user',
  SnapshotsExist: 'user',
  NodeStartupTimeout: 'user',
  ServerStopped: 'user',
  TooManyUnhealthy: 'user',
  HealingDisabled: 'user',
  ExcludedFromHealing: 'user',
  ServerLocked: 'user',
  ReinstallNotSupported: 'user',
  CredentialExpiresSoon: 'user',
  AuthorityExpiresSoon: 'user',
  RotationPrepared: 'user',
  SnapshotNotFound: 'user',
  DatabaseFull: 'user',
  SettingsRejected: 'user',
  UpdateAvailable: 'user',
  UpgradePaused: 'user',
  UpgradeAborted: 'user',
  UpgradeHalted: 'user',
  NodesTooOld: 'user',
  VersionDeprecated: 'user',
  VersionEndsSoon: 'user',
  VersionEndOfLife: 'user',
  VersionOverruled: 'user',
  Hibernated: 'user',
  AddonDegraded: 'user',
  AddonModified: 'user',
  AddonNotManaged: 'user',
  AddonRefused: 'user',
  ResetNotConfirmed: 'user',
  // The operator can fix it.
  ProgramsMissing: 'operator',
  AddonUnreached: 'operator',
  AddonMisconfigured: 'operator',
  RolloutHalted: 'operator',
  PlanNotFound: 'operator',
  PlanNotReady: 'operator',
  VersionNotOffered: 'operator',
  SettingsNotEnforced: 'operator',
  PermissionDenied: 'operator',
  ConfigurationInvalid: 'operator',
  ControlPlaneFailed: 'operator',
  SnapshotFailed: 'operator',
  RestoreFailed: 'operator',
  InternalError: 'operator',
  NotImplemented: 'operator',
  SingleReplica: 'operator',
  // The cloud must recover; Fairway retries automatically.
  CloudUnavailable: 'cloud',
  RateLimited: 'cloud',
  FlavorOutOfStock: 'cloud',
  ServerFailed: 'cloud',
  ServerVanished: 'cloud',
  /** Fairway's controller failed to delete something. */
  DeletionFailed: 'cloud',
  /** An operation is taking longer than usual. */
  CloudBusy: 'cloud',
} as const satisfies Record<string, ActionRequiredBy>;

export type ConditionReason = keyof typeof REASONS;

/** The reasons by name, so that the compiler detects misspelt reasons. */
export const ConditionReason = Object.fromEntries(Object.keys(REASONS).map((reason) => [reason, reason])) as {
  readonly [R in ConditionReason]: R;
};

/** Whether the reason means that all of Fairway's requests to the cloud are currently refused or failing. */
export function isOutage(reason: ConditionReason | undefined): boolean {
  return reason === 'CloudUnavailable' || reason === 'RateLimited';
}

export function actionRequiredBy(reason: ConditionReason): ActionRequiredBy {
  return REASONS[reason];
}
