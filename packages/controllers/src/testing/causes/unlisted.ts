import type { ConditionReason } from '@fairway/api/conditions';

const AT_WORK = 'Fairway is at work: nobody has anything to do';

const PODS_WAIT = "the tenant's pods ask for it, not a fault: docs/tenants/autoscaling.md";

const TENANTS_ADDON = 'the tenant has made it so, and the add-on works: docs/tenants/addons.md';

/** Reasons that have no row, and why. All others have one. */
export const UNLISTED: Readonly<Partial<Record<ConditionReason, string>>> = {
  KeepRequested: 'what a person has asked for (behaviour/inspection.test.ts)',
  KeepRefused: 'what a person has asked for wrongly (behaviour/inspection.test.ts)',
  KeptForInspection: 'what a person has asked for (behaviour/inspection.test.ts)',
  KeepEnding: 'what a person has asked for (behaviour/inspection.test.ts)',
  Provisioning: AT_WORK,
  AttachingRouter: AT_WORK,
  Updating: AT_WORK,
  Restoring: AT_WORK,
  Scaling: AT_WORK,
  Draining: AT_WORK,
  Healing: AT_WORK,
  Deleting: AT_WORK,
  Terminated: AT_WORK,
  WaitingForCluster: AT_WORK,
  WaitingForNetwork: AT_WORK,
  WaitingForControlPlane: AT_WORK,
  WaitingForServer: AT_WORK,
  WaitingForNode: AT_WORK,
  WaitingForRollout: AT_WORK,
  RepairRequested: 'a person has asked for it, and Fairway is at work',
  RepairInProgress: 'Fairway is at work on another node, and this one is next',
  WaitingToRepair: 'Fairway repairs it when its time is over',
  Reinstalling: AT_WORK,
  MaxReplicasReached: PODS_WAIT,
  PodsUnschedulable: PODS_WAIT,
  WaitingForPools: AT_WORK,
  UpgradePaused: 'the tenant has asked for it',
  UpgradeAborted: 'the tenant has asked for it',
  Hibernating: AT_WORK,
  PreparingRotation: 'a person has asked for it, and Fairway is at work',
  CompletingRotation: 'a person has asked for it, and Fairway is at work',
  RevokingKubeconfigs: 'a person has asked for it, and Fairway is at work',
  AddonModified: TENANTS_ADDON,
  AddonNotManaged: TENANTS_ADDON,
  AddonUnreached: 'AddonsReady stays True: all else of the cluster works (docs/tenants/addons.md)',
  Resetting: AT_WORK,
  VersionOverruled: 'it takes weeks to come to that (behaviour/forced-upgrade.test.ts)',
  WaitingForMaintenanceWindow: 'the tenant has asked for it, and it begins by itself',
};
