export type VolumeStatus =
  | 'creating'
  | 'available'
  | 'reserved'
  | 'attaching'
  | 'in-use'
  | 'detaching'
  | 'deleting'
  | 'extending'
  | 'retyping'
  | 'error'
  | 'error_deleting'
  | 'error_extending'
  | 'maintenance';

/** The pending operation of a volume or snapshot and when it is done; stored so that it continues after a restart. */
export type VolumeStep =
  | { readonly step: 'create' | 'delete'; readonly dueMs: number }
  | { readonly step: 'extend'; readonly sizeGiB: number; readonly dueMs: number }
  | { readonly step: 'retype'; readonly typeId: string; readonly dueMs: number };

export interface Volume {
  readonly id: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly projectId: string;
  readonly userId: string;
  readonly createdMs: number;
  readonly updatedMs: number | null;
  readonly status: VolumeStatus;
  /** Status to return to after an extension or retype. */
  readonly previousStatus: VolumeStatus | null;
  readonly sizeGiB: number;
  readonly zone: string;
  readonly typeId: string;
  readonly snapshotId: string | null;
  readonly sourceVolumeId: string | null;
  readonly imageId: string | null;
  readonly isBootable: boolean;
  readonly isReadOnly: boolean;
  readonly isMultiattach: boolean;
  /** Set for volumes of an encrypted type. */
  readonly encryptionKeyId: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly pending: VolumeStep | null;
}

/** The right to connect to a volume: it is first reserved, and becomes attached once the connection exists. */
export interface Attachment {
  readonly id: string;
  readonly volumeId: string;
  readonly projectId: string;
  /** The owner: a server, or an arbitrary ID from clients other than Nova. */
  readonly instanceId: string | null;
  readonly status: 'reserved' | 'attaching' | 'attached';
  readonly mode: string | null;
  readonly device: string | null;
  readonly host: string | null;
  readonly attachedMs: number | null;
  /** Whether the connection has been set up, which requires a connector. */
  readonly isConnected: boolean;
  /** Nova's pending operation. */
  readonly pending: { readonly step: 'attach' | 'detach'; readonly dueMs: number } | null;
}

export type SnapshotStatus = 'creating' | 'available' | 'deleting' | 'error' | 'error_deleting';

export interface Snapshot {
  readonly id: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly projectId: string;
  readonly userId: string;
  readonly volumeId: string;
  readonly typeId: string;
  readonly sizeGiB: number;
  readonly status: SnapshotStatus;
  readonly createdMs: number;
  readonly updatedMs: number | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly pending: VolumeStep | null;
}

export interface VolumeType {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly isPublic: boolean;
  readonly extraSpecs: Readonly<Record<string, string>>;
  /** Projects with access to a private type. */
  readonly projectIds: readonly string[];
  readonly encryption: VolumeEncryption | null;
}

export interface VolumeEncryption {
  readonly id: string;
  readonly provider: string;
  readonly cipher: string | null;
  readonly keySize: number | null;
  readonly controlLocation: string;
}
