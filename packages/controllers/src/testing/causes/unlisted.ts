import type { ConditionReason } from '@fairway/api/conditions';

const FAIRWAY_WORKING = 'Fairway is working: no one has to act';

const PODS_PENDING = "the tenant's pods ask for it, not a fault: docs/tenants/autoscaling.md";

const TENANT_ADDON = 'a choice of the tenant, and the add-on works: docs/tenants/addons.md';

/** Reasons without a row, and why. All other reasons have a row. */
export const UNLISTED_REASONS: Readonly<Partial<Record<ConditionReason, string>>> = {
  KeepRequested: 'requested by a user (behaviour/inspection.test.ts)',
  KeepRefused: 'an invalid request by a user (behaviour/inspection.test.ts)',
  KeptForInspection: 'requested by a user (behaviour/inspection.test.ts)',
  KeepEnding: 'requested by a user (behaviour/inspection.test.ts)',
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
  RepairRequested: 'requested by a user, and Fairway is working on it',
  RepairInProgress: 'Fairway is working on another node, and this one is next',
  WaitingToRepair: 'Fairway repairs it once its timeout has passed',
  Reinstalling: FAIRWAY_WORKING,
  MaxReplicasReached: PODS_PENDING,
  PodsUnschedulable: PODS_PENDING,
  WaitingForPools: FAIRWAY_WORKING,
  UpgradePaused: 'the tenant has asked for it',
  UpgradeAborted: 'the tenant has asked for it',
  Hibernating: FAIRWAY_WORKING,
  PreparingRotation: 'requested by a user, and Fairway is working on it',
  CompletingRotation: 'requested by a user, and Fairway is working on it',
  RevokingKubeconfigs: 'requested by a user, and Fairway is working on it',
  AddonModified: TENANT_ADDON,
  AddonNotManaged: TENANT_ADDON,
  AddonUnreached: 'AddonsReady stays True: the rest of the cluster works (docs/tenants/addons.md)',
  Resetting: FAIRWAY_WORKING,
  VersionOverruled: 'it takes weeks to reach this state (behaviour/forced-upgrade.test.ts)',
  WaitingForMaintenanceWindow: 'requested by the tenant, and starts automatically',
};
