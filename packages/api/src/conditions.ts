/** Condition types. Every kind has Ready; it summarizes all others but Paused and those that say to stand beside it, and has the message that `kubectl get` shows. */
export const ConditionType = {
  Ready: 'Ready',
  /** Present only while paused; see the annotation fairway.dev/paused. */
  Paused: 'Paused',
  // Cluster
  NetworkReady: 'NetworkReady',
  ControlPlaneReady: 'ControlPlaneReady',
  NodePoolsReady: 'NodePoolsReady',
  SnapshotsReady: 'SnapshotsReady',
  /** Beside Ready: what runs goes on without the cloud, and what waits for it says so itself. */
  CloudReachable: 'CloudReachable',
  /** False: the API server runs with other settings than `spec.apiServer`. True: who is kept out of it; absent if nobody is. */
  SettingsApplied: 'SettingsApplied',
  /** Present while hibernated: whether the project's quotas have room for its nodes. It stands beside Ready. */
  WakingPossible: 'WakingPossible',
  /** Whether what Fairway installs in the cluster works: `status.addons`. It stands beside Ready. */
  AddonsReady: 'AddonsReady',
  /** Present only while False: why a reset that is asked for does not begin. It stands beside Ready. */
  ResetPossible: 'ResetPossible',
  /** Present only while True: what ExpiresSoon says of its CloudCredential. It stands beside Ready. */
  CredentialExpiresSoon: 'CredentialExpiresSoon',
  /** Present only while False: kubeconfigs are being revoked, or certificate authorities rotated. It stands beside Ready. */
  CredentialsStable: 'CredentialsStable',
  /** Present only while True: the cluster's certificate authorities near their end. It stands beside Ready. */
  AuthorityExpiresSoon: 'AuthorityExpiresSoon',
  /** Present where the plan promises more than one control plane. It stands beside Ready. */
  ControlPlaneHighlyAvailable: 'ControlPlaneHighlyAvailable',
  // Cluster, Plan
  /** Present only while False: fields are accepted that this release does not act upon. It stands beside Ready. */
  FieldsApplied: 'FieldsApplied',
  /** Present only while False: the version is deprecated, ends within 30 days, or has reached its end of life. It stands beside Ready. */
  VersionSupported: 'VersionSupported',
  // NodePool; UpToDate of a Cluster too, where it stands beside Ready
  MachinesReady: 'MachinesReady',
  UpToDate: 'UpToDate',
  /** Present only while False: nodes are broken, and being repaired or waiting for it. It stands beside Ready. */
  NodesHealthy: 'NodesHealthy',
  /** Present with autoscaling. False: why the pool is not as large or small as its pods need. It stands beside Ready. */
  Autoscaled: 'Autoscaled',
  // NodePool within a tenant's cluster
  /** False: what was last asked for there was refused, or has not been carried out. */
  Accepted: 'Accepted',
  // Machine
  /** Present where the annotation fairway.dev/keep-for-inspection asks for it. True: it is replaced, and its server is kept. It stands beside Ready. */
  KeptForInspection: 'KeptForInspection',
  // KubernetesRelease
  RolledOut: 'RolledOut',
  /** Present with spec.forcedUpgrade, once clusters are to be upgraded by it. It stands beside Ready. */
  EndOfLifeEnforced: 'EndOfLifeEnforced',
  // CloudCredential
  /** Present only while True. It stands beside Ready. */
  ExpiresSoon: 'ExpiresSoon',
  // Machine
  ServerReady: 'ServerReady',
  NodeReady: 'NodeReady',
  /** Present only while False: the node is to be repaired, or would be, if it did not have to wait. It stands beside Ready. */
  HealthCheckSucceeded: 'HealthCheckSucceeded',
  /** False: the server is to be reinstalled, or is being; absent if it is as asked for. It stands beside Ready until the node is drained for it. */
  Installed: 'Installed',
  Drained: 'Drained',
} as const;

export type ConditionType = (typeof ConditionType)[keyof typeof ConditionType];

/** Who must act while a condition is not True. */
export type Turn = 'fairway' | 'user' | 'operator' | 'cloud';

/** Reasons of conditions, each with who must act. */
const REASONS = {
  // The condition is True, or Fairway is progressing.
  AsExpected: 'fairway',
  Provisioning: 'fairway',
  /** Nodes start meanwhile. */
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
  // The cloud must recover; Fairway retries by itself.
  CloudUnavailable: 'cloud',
  RateLimited: 'cloud',
  FlavorOutOfStock: 'cloud',
  ServerFailed: 'cloud',
  ServerVanished: 'cloud',
} as const satisfies Record<string, Turn>;

export type ConditionReason = keyof typeof REASONS;

/** The reasons by name, so that the compiler finds a misspelt one. */
export const ConditionReason = Object.fromEntries(Object.keys(REASONS).map((reason) => [reason, reason])) as {
  readonly [R in ConditionReason]: R;
};

/** Whether the cloud does not serve Fairway at the moment, whatever it is asked for. */
export function isOutage(reason: ConditionReason | undefined): boolean {
  return reason === 'CloudUnavailable' || reason === 'RateLimited';
}

export function turnOf(reason: ConditionReason): Turn {
  return REASONS[reason];
}
