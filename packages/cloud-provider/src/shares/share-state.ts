import type { Share } from '@fairway/openstack/types/shared-file-system';

/** https://opendev.org/openstack/manila/src/branch/master/manila/share/api.py: `API.delete`. */
const DELETABLE_STATUSES: ReadonlySet<string> = new Set(['available', 'error', 'inactive']);

/**
 * Why Manila would reject the share's deletion now, apart from snapshots; undefined if Manila would accept the request,
 * or if the deletion is in progress. Pure.
 */
export function deletionBlocker({ status }: Share): string | undefined {
  if (DELETABLE_STATUSES.has(status) || status === 'deleting') return undefined;
  if (status === 'error_deleting') {
    return 'Manila failed to delete it: the cloud operator must reset its status';
  }
  return `its status in Manila is ${status}`;
}
