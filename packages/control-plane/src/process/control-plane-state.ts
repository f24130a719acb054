import type { ControlPlaneState, Endpoint } from '../runtime.ts';
import { COMPONENTS } from './components.ts';
import type { SupervisedState } from './supervisor.ts';

/** Consecutive exits above which a component counts as failing. */
export const MAX_CONSECUTIVE_EXITS = 3;

export interface StateFacts {
  readonly supervised: SupervisedState;
  readonly endpoint: Endpoint | undefined;
  /** The version with which the API server last served requests; undefined if it has not served any yet. */
  readonly version: string | undefined;
  /** The restore in progress, if any. */
  readonly restoring?: string | undefined;
}

const DATABASE_FULL_MESSAGE =
  'The database has reached its quota: objects can only be read and deleted. Delete objects, or add nodes if the plan raises the quota with them; writes are accepted again within a minute.';

/** The state reported to the Cluster controller. Pure. */
export function controlPlaneState({ supervised, endpoint, version, restoring }: StateFacts): ControlPlaneState {
  const { components, databaseBytes, isDatabaseFull } = supervised;
  const ready = components['kube-apiserver'].ready;
  const common = { endpoint, version, ready, etcdUsageBytes: databaseBytes };
  if (restoring !== undefined) return { ...common, phase: 'Updating', reason: 'Restoring', message: restoring };
  // If the database is full, components that must write in order to start exit for that reason.
  if (isDatabaseFull && components.etcd.ready) {
    return { ...common, phase: 'Failed', ready: false, reason: 'DatabaseFull', message: DATABASE_FULL_MESSAGE };
  }
  const failed = COMPONENTS.find(
    (name) => components[name].failures >= MAX_CONSECUTIVE_EXITS && !components[name].ready,
  );
  if (failed !== undefined) {
    const message = `${failed} is not running: ${components[failed].lastFailure}. It is being restarted.`;
    return { ...common, phase: 'Failed', ready: false, reason: 'ControlPlaneFailed', message };
  }
  const pendingComponent = COMPONENTS.find((name) => !(components[name].ready && components[name].current));
  if (pendingComponent === undefined) return { ...common, phase: 'Running', reason: 'AsExpected', message: '' };
  return version === undefined
    ? { ...common, phase: 'Starting', reason: 'Provisioning', message: `${pendingComponent} is starting.` }
    : { ...common, phase: 'Updating', reason: 'Updating', message: `${pendingComponent} is restarting.` };
}
