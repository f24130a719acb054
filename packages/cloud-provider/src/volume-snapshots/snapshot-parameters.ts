/** The snapshot settings of a VolumeSnapshotClass. */
export interface SnapshotParameters {
  /** Whether snapshots of attached volumes are taken. */
  readonly isForced: boolean;
}

const FORCE_CREATE = 'force-create';
const PARAMETERS = [FORCE_CREATE, 'type'];
/** Backup parameters of cinder-csi-plugin. */
const BACKUP_PARAMETERS: ReadonlySet<string> = new Set(['backup-max-duration-seconds-per-gb', 'availability']);
const MAX_LENGTH = 255;

/** Reads a class's parameters as cinder-csi-plugin does, or returns the problem. Pure. */
export function readSnapshotParameters(parameters: Readonly<Record<string, string>> = {}): SnapshotParameters | string {
  const { type = 'snapshot', [FORCE_CREATE]: force = 'true' } = parameters;
  for (const name of Object.keys(parameters)) {
    if (/^csi\.storage\.k8s\.io\/.*secret-(?:name|namespace)$/.test(name)) {
      return `parameter "${truncate(name)}" refers to a credential, but Fairway uses only its own: remove it`;
    }
    if (BACKUP_PARAMETERS.has(name)) {
      return `parameter "${name}" is for backups, but Fairway supports only snapshots: remove it`;
    }
    if (!PARAMETERS.includes(name)) return `parameter "${truncate(name)}" is unknown: use ${PARAMETERS.join(', ')}`;
  }
  if (type === 'backup') return 'parameter "type" is "backup", but Fairway supports only snapshots: use "snapshot"';
  if (type !== 'snapshot') return `parameter "type" is "${truncate(type)}": use "snapshot"`;
  if (force !== 'true' && force !== 'false') {
    return `parameter "${FORCE_CREATE}" is "${truncate(force)}": use "true" or "false"`;
  }
  return { isForced: force === 'true' };
}

function truncate(text: string): string {
  return text.slice(0, MAX_LENGTH);
}
