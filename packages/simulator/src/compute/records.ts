/** Nova's vm_state and task_state, from which the user-visible status is derived. */
export type VmState = 'building' | 'active' | 'stopped' | 'error' | 'resized' | 'paused' | 'soft-delete' | 'deleted';

export type TaskState =
  | 'scheduling'
  | 'networking'
  | 'spawning'
  | 'deleting'
  | 'soft-deleting'
  | 'powering-off'
  | 'powering-on'
  | 'rebooting'
  | 'rebooting_hard'
  | 'rebuilding'
  | 'resize_prep'
  | 'resize_reverting';

/** The next step of a server and when it is due; stored so that it continues after a restart. */
export interface PendingStep {
  readonly step:
    | 'schedule'
    | 'network'
    | 'spawn'
    | 'delete'
    | 'soft-delete'
    | 'stop'
    | 'start'
    | 'reboot'
    | 'rebuild'
    | 'resize'
    | 'revert';
  readonly dueMs: number;
}

export interface ServerFault {
  readonly code: number;
  readonly message: string;
  readonly details: string;
  readonly createdMs: number;
}

export interface NetworkRequest {
  readonly networkId?: string;
  readonly portId?: string;
  readonly fixedIp?: string;
}

/** A volume of a server that is attached, being attached, or yet to be created. */
export interface ServerVolume {
  readonly id: string;
  readonly deleteOnTermination: boolean;
  /** Device name in the guest. Absent in state files from earlier releases. */
  readonly device?: string;
  readonly tag?: string | null;
  /** ID of the mapping; servers created by earlier releases have none. */
  readonly mappingId?: string;
  /** ID of Cinder's attachment. */
  readonly attachmentId?: string;
  /** The server boots from this volume, so it cannot be detached. */
  readonly isRoot?: boolean;
  /** What to create the volume from when the server is built; absent once the volume exists. */
  readonly wanted?: RequestedVolume;
}

export interface RequestedVolume {
  readonly sizeGiB: number;
  readonly typeId: string | null;
  readonly imageId: string | null;
  readonly snapshotId: string | null;
}

export interface Server {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly hostname: string;
  readonly projectId: string;
  readonly userId: string;
  readonly createdMs: number;
  readonly updatedMs: number;
  readonly launchedMs: number | null;
  readonly deletedMs: number | null;
  readonly vmState: VmState;
  readonly taskState: TaskState | null;
  readonly pending: PendingStep | null;
  readonly fault: ServerFault | null;
  readonly flavorId: string;
  /** The flavor to return to if a resize is reverted. */
  readonly oldFlavorId: string | null;
  /** Null if the server boots from a volume. */
  readonly imageId: string | null;
  /** Set by users; absent in state files from earlier releases. */
  readonly accessIPv4?: string;
  readonly accessIPv6?: string;
  readonly volumes: readonly ServerVolume[];
  /** The requested zone; the actual zone is the host's. */
  readonly wantedZone: string | null;
  readonly host: string | null;
  readonly keyName: string | null;
  /** Compressed; see user-data.ts. */
  readonly userData: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly configDrive: boolean;
  readonly groupId: string | null;
  readonly networks: readonly NetworkRequest[];
  /** IDs of the security groups for ports that Nova creates. */
  readonly securityGroups: readonly string[];
  readonly locked: boolean;
  readonly lockedReason: string | null;
  /** Whether the guest's kernel has panicked, which no API reports. Absent in state files from earlier releases. */
  readonly hasPanicked?: boolean;
  readonly reservationId: string;
  readonly launchIndex: number;
}

export type GroupPolicy = 'affinity' | 'anti-affinity' | 'soft-affinity' | 'soft-anti-affinity';

export interface ServerGroup {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
  readonly userId: string;
  readonly policy: GroupPolicy;
  readonly maxServersPerHost: number | null;
}

/** A key pair, identified by user and name. */
export interface KeyPair {
  readonly id: string;
  readonly name: string;
  readonly userId: string;
  readonly type: 'ssh' | 'x509';
  readonly publicKey: string;
  readonly fingerprint: string;
  readonly createdMs: number;
}

/**
 * A project's quotas, which override the cloud's, with the keys `compute/<project>`, `network/<project>` and
 * `block-storage/<project>`.
 */
export interface Quota {
  readonly id: string;
  readonly limits: Readonly<Record<string, number>>;
}
