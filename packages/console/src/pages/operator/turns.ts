import type { Turn } from '@fairway/api/conditions';

/** Reasons of conditions by who must act, as `packages/api/src/conditions.ts` has them; where it is Fairway's turn, nobody has to. */
const REASONS_BY_TURN: Readonly<Record<Exclude<Turn, 'fairway'>, string>> = {
  user: `Paused QuotaExceeded PlanLimitExceeded CredentialInvalid FlavorNotFound ImageNotFound NetworkNotFound ExternalNetworkNotFound SubnetNotFound RouterNotFound
    GatewayMissing ZoneNotFound VolumeTypeNotFound ClusterNotFound AddressRangeOverlap AddressesExhausted AntiAffinityUnsatisfiable PodDisruptionBudget DrainHeld
    KeepRequested KeepRefused KeptForInspection KeepEnding MaxReplicasReached PodsUnschedulable ResourceInUse NodeStartupTimeout ServerStopped TooManyUnhealthy
    HealingDisabled ExcludedFromHealing ServerLocked ReinstallNotSupported CredentialExpiresSoon AuthorityExpiresSoon RotationPrepared SnapshotNotFound DatabaseFull
    SettingsRejected UpdateAvailable UpgradePaused UpgradeAborted UpgradeHalted NodesTooOld VersionDeprecated VersionEndsSoon VersionEndOfLife VersionOverruled
    Hibernated AddonDegraded AddonModified AddonNotManaged AddonRefused ResetNotConfirmed`,
  operator: `ProgramsMissing AddonUnreached AddonMisconfigured RolloutHalted PlanNotFound PlanNotReady VersionNotOffered SettingsNotEnforced PermissionDenied
    ConfigurationInvalid ControlPlaneFailed SnapshotFailed RestoreFailed InternalError NotImplemented SingleReplica`,
  cloud: 'CloudUnavailable RateLimited FlavorOutOfStock ServerFailed ServerVanished',
};

const TURNS: ReadonlyMap<string, Turn> = new Map(
  (['user', 'operator', 'cloud'] as const).flatMap((turn) =>
    REASONS_BY_TURN[turn].split(/\s+/).map((reason): [string, Turn] => [reason, turn]),
  ),
);

/** Who must act while a condition has this reason. */
export function turnOfReason(reason: string): Turn {
  return TURNS.get(reason) ?? 'fairway';
}
