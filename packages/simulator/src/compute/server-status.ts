import { SERVER_STATUSES } from '@fairway/openstack/types/server';
import type { Server } from './records.ts';

/** The user-visible status, as Nova derives it from vm_state and task_state. */
export function statusOf({ vmState, taskState }: Pick<Server, 'vmState' | 'taskState'>): string {
  switch (vmState) {
    case 'building':
      return 'BUILD';
    case 'active':
      return taskState === null ? 'ACTIVE' : (BUSY_STATUSES[taskState] ?? 'ACTIVE');
    case 'stopped':
      return taskState === 'rebuilding' || taskState === 'resize_prep'
        ? (BUSY_STATUSES[taskState] ?? 'SHUTOFF')
        : 'SHUTOFF';
    case 'error':
      return taskState === 'rebuilding' ? 'REBUILD' : 'ERROR';
    case 'resized':
      return taskState === 'resize_reverting' ? 'REVERT_RESIZE' : 'VERIFY_RESIZE';
    case 'paused':
      return 'PAUSED';
    case 'soft-delete':
      return 'SOFT_DELETED';
    case 'deleted':
      return 'DELETED';
  }
}

const BUSY_STATUSES: Readonly<Record<string, string>> = {
  rebooting: 'REBOOT',
  rebooting_hard: 'HARD_REBOOT',
  rebuilding: 'REBUILD',
  resize_prep: 'RESIZE',
};

export const KNOWN_STATUSES: ReadonlySet<string> = new Set(SERVER_STATUSES);

/** Nova's power_state numbers. */
export function powerStateOf({ vmState, taskState }: Pick<Server, 'vmState' | 'taskState'>): number {
  if (vmState === 'active' || vmState === 'resized') return 1;
  if (vmState === 'paused') return 3;
  return (vmState === 'stopped' || vmState === 'soft-delete') && taskState === null ? 4 : 0;
}
