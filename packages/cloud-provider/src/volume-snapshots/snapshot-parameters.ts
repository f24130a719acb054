/** The snapshot settings of a VolumeSnapshotClass. */
export interface SnapshotParameters {
  /** Whether attached volumes are snapshotted. */
  readonly isForced: boolean;
}

const FORCE_CREATE = 'force-create';
const KNOWN = [FORCE_CREATE, 'type'];
/** Parameters of cinder-csi-plugin for backups. */
const OF_BACKUPS: ReadonlySet<string> = new Set(['backup-max-duration-seconds-per-gb', 'availability']);
const MAX_LENGTH = 255;

/** Reads a class's parameters as cinder-csi-plugin does; returns any problem. Pure. */
export function readSnapshotParameters(parameters: Readonly<Record<string, string>> = {}): SnapshotParameters | string {
  const { type = 'snapshot', [FORCE_CREATE]: force = 'true' } = parameters;
  for (const name of Object.keys(parameters)) {
    if (/^csi\.storage\.k8s\.io\/.*secret-(?:name|namespace)$/.test(name)) {
      return `parameter "${cut(name)}" refers to a credential, but Fairway uses only its own: remove it`;
    }
    if (OF_BACKUPS.has(name)) {
      return `parameter "${name}" is for backups, but Fairway supports only snapshots: remove it`;
    }
    if (!KNOWN.includes(name)) return `parameter "${cut(name)}" is unknown: use ${KNOWN.join(', ')}`;
  }
  if (type === 'backup') return 'parameter "type" is "backup", but Fairway supports only snapshots: use "snapshot"';
  if (type !== 'snapshot') return `parameter "type" is "${cut(type)}": use "snapshot"`;
  if (force !== 'true' && force !== 'false') {
    return `parameter "${FORCE_CREATE}" is "${cut(force)}": use "true" or "false"`;
  }
  return { isForced: force === 'true' };
}

function cut(text: string): string {
  return text.slice(0, MAX_LENGTH);
}
