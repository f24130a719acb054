import { type ClassParameters, readParameters } from '@fairway/cloud-provider/volumes/class-parameters';
import { invalidArgument } from '../calls/call-error.ts';
import type { StringMap } from '../protocol/messages.ts';

/** Added by external-provisioner with `--extra-create-metadata`; cinder-csi-plugin writes them into a volume's metadata. */
const METADATA_PARAMETERS = [
  'csi.storage.k8s.io/pvc/name',
  'csi.storage.k8s.io/pvc/namespace',
  'csi.storage.k8s.io/pv/name',
];
/** Cinder's maximum. */
const MAX_LENGTH = 255;

export interface VolumeParameters extends Pick<ClassParameters, 'type' | 'availability'> {
  readonly metadata: StringMap;
}

/** Throws INVALID_ARGUMENT for unknown or contradictory parameters. Pure. */
export function volumeParameters(parameters: StringMap): VolumeParameters {
  const entries = Object.entries(parameters);
  const metadata = entries.filter(([name]) => METADATA_PARAMETERS.includes(name));
  const tooLong = metadata.find(([, value]) => value.length > MAX_LENGTH);
  if (tooLong) throw invalidArgument(`parameter "${tooLong[0]}" is longer than ${MAX_LENGTH} characters`);
  const read = readParameters(Object.fromEntries(entries.filter(([name]) => !METADATA_PARAMETERS.includes(name))));
  if (typeof read === 'string') throw invalidArgument(read);
  const { fsType: _, ...rest } = read;
  return { ...rest, metadata: Object.fromEntries(metadata) };
}
