/** The volume settings of a StorageClass. */
export interface ClassParameters {
  /** Name or ID of a volume type; defaults to Cinder's. */
  readonly type?: string;
  /** A Cinder availability zone; defaults to the node's. */
  readonly availability?: string;
  /** File system of volumes in filesystem mode. */
  readonly fsType: string;
}

const DEFAULT_FS_TYPE = 'ext4';
/** File systems that the node driver supports. */
const FS_TYPES: readonly string[] = ['ext2', 'ext3', 'ext4', 'xfs', 'btrfs'];
const FS_TYPE = 'csi.storage.k8s.io/fstype';
/** The in-tree plugin's name for the file system parameter, which external-provisioner reads too. */
const LEGACY_FS_TYPE = 'fstype';
const KNOWN_PARAMETERS = ['type', 'availability', FS_TYPE];
/** Cinder's column limits. */
const MAX_LENGTH = 255;

/** Reads a class's parameters as cinder-csi-plugin and external-provisioner do, or returns the problem. Pure. */
export function readParameters(parameters: Readonly<Record<string, string>> = {}): ClassParameters | string {
  for (const [name, value] of Object.entries(parameters)) {
    if (/^csi\.storage\.k8s\.io\/.*-secret-(?:name|namespace)$/.test(name)) {
      return `parameter "${name}" refers to a credential, but Fairway uses only its own: remove it`;
    }
    if (!KNOWN_PARAMETERS.includes(name) && name !== LEGACY_FS_TYPE)
      return `parameter "${name.slice(0, MAX_LENGTH)}" is unknown: use ${KNOWN_PARAMETERS.join(', ')}`;
    if (value.length > MAX_LENGTH) return `parameter "${name}" is longer than ${MAX_LENGTH} characters`;
  }
  const { type, availability, [LEGACY_FS_TYPE]: old, [FS_TYPE]: fsType = old ?? DEFAULT_FS_TYPE } = parameters;
  if (old !== undefined && old !== fsType)
    return `parameters "${LEGACY_FS_TYPE}" and "${FS_TYPE}" differ: use only ${FS_TYPE}`;
  if (!FS_TYPES.includes(fsType)) return `parameter "${FS_TYPE}" is "${fsType}": use one of ${FS_TYPES.join(', ')}`;
  return { ...(type && { type }), ...(availability && { availability }), fsType };
}
