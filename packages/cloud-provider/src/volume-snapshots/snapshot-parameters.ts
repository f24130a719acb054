/** What a VolumeSnapshotClass says of its snapshots. */
export interface SnapshotParameters {
  /** Whether volumes are snapshot while servers have them. */
  readonly isForced: boolean;
}

const FORCE_CREATE = 'force-create';
const KNOWN = [FORCE_CREATE, 'type'];
/** Of cinder-csi-plugin, for backups. */
const OF_BACKUPS: ReadonlySet<string> = new Set(['backup-max-duration-seconds-per-gb', 'availability']);
const MAX_LENGTH = 255;

/** Reads a class's parameters as cinder-csi-plugin does; returns what is wrong with them. Pure. */
export function readSnapshotParameters(parameters: Readonly<Record<string, string>> = {}): SnapshotParameters | string {
  const { type = 'snapshot', [FORCE_CREATE]: force = 'true' } = parameters;
  for (const name of Object.keys(parameters)) {
    if (/^csi\.storage\.k8s\.io\/.*secret-(?:name|namespace)$/.test(name)) {
      return `parameter "${cut(name)}" names a credential, and Fairway uses that of the cluster alone: leave it out`;
    }
    if (OF_BACKUPS.has(name)) {
      return `parameter "${name}" is about backups, and Fairway makes snapshots alone: leave it out`;
    }
    if (!KNOWN.includes(name)) return `parameter "${cut(name)}" is not known: use ${KNOWN.join(', ')}`;
  }
  if (type === 'backup') return 'parameter "type" is "backup", and Fairway makes snapshots alone: use "snapshot"';
  if (type !== 'snapshot') return `parameter "type" is "${cut(type)}": use "snapshot"`;
  if (force !== 'true' && force !== 'false') {
    return `parameter "${FORCE_CREATE}" is "${cut(force)}": use "true" or "false"`;
  }
  return { isForced: force === 'true' };
}

function cut(text: string): string {
  return text.slice(0, MAX_LENGTH);
}
