import { invalidArgument } from '../calls/call-error.ts';
import type { StringMap } from '../protocol/messages.ts';

/** Added by external-snapshotter with `--extra-create-metadata`. */
const METADATA_PARAMETERS = [
  'csi.storage.k8s.io/volumesnapshot/name',
  'csi.storage.k8s.io/volumesnapshot/namespace',
  'csi.storage.k8s.io/volumesnapshotcontent/name',
];
const TYPE_PARAMETER = 'type';
/**
 * Since Cinder 3.66, snapshots of volumes in use are always allowed. With earlier versions, Fairway must request it.
 */
const FORCE_PARAMETER = 'force-create';
const MAX_LENGTH = 255;

/**
 * The metadata of a new snapshot. Throws INVALID_ARGUMENT for unknown parameters and for parameters that request a
 * backup. Pure.
 */
export function snapshotMetadata(parameters: StringMap): StringMap {
  for (const [name, value] of Object.entries(parameters)) {
    if (METADATA_PARAMETERS.includes(name)) {
      if (value.length > MAX_LENGTH)
        throw invalidArgument(`parameter "${name}" is longer than ${MAX_LENGTH} characters`);
    } else if (name === TYPE_PARAMETER) {
      if (value !== 'snapshot')
        throw invalidArgument(
          `parameter "type" is "${value.slice(0, MAX_LENGTH)}", but only Cinder snapshots are supported: remove it`,
        );
    } else if (name === FORCE_PARAMETER) {
      if (value !== 'true' && value !== 'false')
        throw invalidArgument('parameter "force-create" is neither true nor false');
    } else {
      throw invalidArgument(
        `parameter "${name.slice(0, MAX_LENGTH)}" is unknown: use ${TYPE_PARAMETER}, ${FORCE_PARAMETER}`,
      );
    }
  }
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => METADATA_PARAMETERS.includes(name)));
}
