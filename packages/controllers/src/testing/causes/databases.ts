import type { ControlPlaneState, SnapshotsState } from '@fairway/control-plane/runtime';
import type { Cause, Steps } from './cause.ts';

/** Messages of the process runtime; its own tests verify them. */
function runtimeReports(state: Partial<ControlPlaneState>): Steps {
  return { from: 'a cluster', begin: ({ runtime }) => runtime.reportState(state), request: () => undefined };
}

function reportSnapshots(state: Partial<SnapshotsState>): Steps {
  return runtimeReports({
    snapshots: { list: [], problem: undefined, restored: undefined, restoring: undefined, ...state },
  });
}

const request = { snapshot: '20261121-163000-000' };

/** Reports about clusters' databases, their snapshots, and API server settings. */
export const DATABASE_CAUSES: readonly Cause[] = [
  {
    cause: 'The database of a cluster is full',
    by: runtimeReports({
      phase: 'Failed',
      ready: false,
      reason: 'DatabaseFull',
      message:
        'The database has reached its quota: objects can only be read and deleted. Delete objects, or add nodes if the plan raises the quota with them; writes are accepted again within a minute.',
    }),
    kind: 'Cluster',
    phase: 'Degraded',
    reason: 'DatabaseFull',
    message:
      'The database has reached its quota: objects can only be read and deleted. Delete objects, or add nodes if the plan raises the quota with them; writes are accepted again within a minute.',
  },
  {
    cause: 'No snapshot can be taken',
    by: reportSnapshots({ problem: 'there is no space left on the disk of the snapshots' }),
    kind: 'Cluster',
    phase: 'Ready',
    condition: 'SnapshotsReady',
    reason: 'SnapshotFailed',
    message: 'cannot take snapshots: there is no space left on the disk of the snapshots',
  },
  {
    cause: 'A restore fails',
    by: reportSnapshots({
      restoring: {
        request,
        problem: 'Failed',
        message: `Snapshot ${request.snapshot} was not restored: the current data could not be backed up first: ENOSPC: no space left on device, write`,
      },
    }),
    kind: 'Cluster',
    phase: 'Ready',
    condition: 'SnapshotsReady',
    reason: 'RestoreFailed',
    message:
      'Snapshot 20261121-163000-000 was not restored: the current data could not be backed up first: ENOSPC: no space left on device, write',
  },
  {
    cause: 'The snapshot to restore no longer exists',
    by: reportSnapshots({
      restoring: {
        request,
        problem: 'NotFound',
        message: `Snapshot ${request.snapshot} was not restored: snapshot ${request.snapshot} of the cluster does not exist; there are none`,
      },
    }),
    kind: 'Cluster',
    phase: 'Ready',
    condition: 'SnapshotsReady',
    reason: 'SnapshotNotFound',
    message:
      'Snapshot 20261121-163000-000 was not restored: snapshot 20261121-163000-000 of the cluster does not exist; there are none',
  },
  {
    cause: 'The API server does not start with the settings',
    by: runtimeReports({
      settingsProblem:
        'spec.apiServer: kube-apiserver does not start with these settings: Error: enable-admission-plugins plugin "Mine" is unknown',
    }),
    kind: 'Cluster',
    phase: 'Degraded',
    condition: 'SettingsApplied',
    reason: 'SettingsRejected',
    message:
      'spec.apiServer: kube-apiserver does not start with these settings: Error: enable-admission-plugins plugin "Mine" is unknown',
  },
  {
    cause: 'Fairway cannot restrict access to the API server',
    by: runtimeReports({
      settingsProblem:
        'spec.apiServer.allowedCIDRs is not applied: nft is not on PATH. The API server accepts connections from anywhere.',
      settingsReason: 'SettingsNotEnforced',
    }),
    kind: 'Cluster',
    phase: 'Degraded',
    condition: 'SettingsApplied',
    reason: 'SettingsNotEnforced',
    message:
      'spec.apiServer.allowedCIDRs is not applied: nft is not on PATH. The API server accepts connections from anywhere.',
  },
];
