import type { Share } from '@fairway/openstack/types/shared-file-system';

/** https://opendev.org/openstack/manila/src/branch/master/manila/share/api.py: `API.delete`. */
const DELETABLE: ReadonlySet<string> = new Set(['available', 'error', 'inactive']);

/** Why Manila would refuse to delete it now, but for its snapshots; undefined if it would not, or is at it. Pure. */
export function heldBecause({ status }: Share): string | undefined {
  if (DELETABLE.has(status) || status === 'deleting') return undefined;
  if (status === 'error_deleting') {
    return 'Manila could not delete it: the operator of the cloud has to reset its status';
  }
  return `its status in Manila is ${status}`;
}
