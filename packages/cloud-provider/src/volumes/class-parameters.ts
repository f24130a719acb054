/** What a StorageClass says of its volumes. */
export interface ClassParameters {
  /** Name or id of a volume type; Cinder's default without it. */
  readonly type?: string;
  /** An availability zone of Cinder; that of the node without it. */
  readonly availability?: string;
  /** File system of volumes that are not raw block devices. */
  readonly fsType: string;
}

const DEFAULT_FS_TYPE = 'ext4';
/** Those that the driver on nodes has the programs for. */
const FS_TYPES: readonly string[] = ['ext2', 'ext3', 'ext4', 'xfs', 'btrfs'];
const FS_TYPE = 'csi.storage.k8s.io/fstype';
const KNOWN = ['type', 'availability', FS_TYPE];
/** Cinder's columns. */
const MAX_LENGTH = 255;

/** Reads a class's parameters as cinder-csi-plugin and external-provisioner do; returns what is wrong with them. Pure. */
export function readParameters(parameters: Readonly<Record<string, string>> = {}): ClassParameters | string {
  for (const [name, value] of Object.entries(parameters)) {
    if (/^csi\.storage\.k8s\.io\/.*-secret-(?:name|namespace)$/.test(name)) {
      return `parameter "${name}" names a credential, and Fairway uses that of the cluster alone: leave it out`;
    }
    if (!KNOWN.includes(name)) return `parameter "${name.slice(0, MAX_LENGTH)}" is not known: use ${KNOWN.join(', ')}`;
    if (value.length > MAX_LENGTH) return `parameter "${name}" is longer than ${MAX_LENGTH} characters`;
  }
  const { type, availability, [FS_TYPE]: fsType = DEFAULT_FS_TYPE } = parameters;
  if (!FS_TYPES.includes(fsType)) return `parameter "${FS_TYPE}" is "${fsType}": use one of ${FS_TYPES.join(', ')}`;
  return { ...(type && { type }), ...(availability && { availability }), fsType };
}
