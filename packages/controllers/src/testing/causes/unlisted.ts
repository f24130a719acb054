import type { ConditionReason } from '@fairway/api/conditions';

const FAIRWAY_WORKING = 'Fairway is at work: nobody has anything to do';

const PODS_PENDING = "the tenant's pods ask for it, not a fault: docs/tenants/autoscaling.md";

const TENANT_ADDON = 'the tenant has made it so, and the add-on works: docs/tenants/addons.md';

/** Reasons without a row, and why. All other reasons have a row. */
export const UNLISTED_REASONS: Readonly<Partial<Record<ConditionReason, string>>> = {
  KeepRequested: 'what a person has asked for (behaviour/inspection.test.ts)',
  KeepRefused: 'what a person has asked for wrongly (behaviour/inspection.test.ts)',
  KeptForInspection: 'what a person has asked for (behaviour/inspection.test.ts)',
  KeepEnding: 'what a person has asked for (behaviour/inspection.test.ts)',
  Provisioning: FAIRWAY_WORKING,
  AttachingRouter: FAIRWAY_WORKING,
  Updating: FAIRWAY_WORKING,
  Restoring: FAIRWAY_WORKING,
  Scaling: FAIRWAY_WORKING,
  Draining: FAIRWAY_WORKING,
  Healing: FAIRWAY_WORKING,
  Deleting: FAIRWAY_WORKING,
  Terminated: FAIRWAY_WORKING,
  WaitingForCluster: FAIRWAY_WORKING,
  WaitingForNetwork: FAIRWAY_WORKING,
  WaitingForControlPlane: FAIRWAY_WORKING,
  WaitingForServer: FAIRWAY_WORKING,
  WaitingForNode: FAIRWAY_WORKING,
  WaitingForRollout: FAIRWAY_WORKING,
  RepairRequested: 'a person has asked for it, and Fairway is at work',
  RepairInProgress: 'Fairway is at work on another node, and this one is next',
  WaitingToRepair: 'Fairway repairs it when its time is over',
  Reinstalling: FAIRWAY_WORKING,
  MaxReplicasReached: PODS_PENDING,
  PodsUnschedulable: PODS_PENDING,
  WaitingForPools: FAIRWAY_WORKING,
  UpgradePaused: 'the tenant has asked for it',
  UpgradeAborted: 'the tenant has asked for it',
  Hibernating: FAIRWAY_WORKING,
  PreparingRotation: 'a person has asked for it, and Fairway is at work',
  CompletingRotation: 'a person has asked for it, and Fairway is at work',
  RevokingKubeconfigs: 'a person has asked for it, and Fairway is at work',
  AddonModified: TENANT_ADDON,
  AddonNotManaged: TENANT_ADDON,
  AddonUnreached: 'AddonsReady stays True: all else of the cluster works (docs/tenants/addons.md)',
  Resetting: FAIRWAY_WORKING,
  VersionOverruled: 'it takes weeks to come to that (behaviour/forced-upgrade.test.ts)',
  WaitingForMaintenanceWindow: 'the tenant has asked for it, and it begins by itself',
};
