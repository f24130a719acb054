export const SHARE_STATUSES = [
  'creating',
  'available',
  'extending',
  'shrinking',
  'deleting',
  'error',
  'error_deleting',
  'extending_error',
  'shrinking_error',
  'reverting',
  'migrating',
  'migrating_to',
  'server_migrating',
] as const;
export type ShareStatus = (typeof SHARE_STATUSES)[number];

/** The pending operation of a share and when it is done; stored so that the operation continues after a restart. */
export type ShareStep =
  | { readonly step: 'create' | 'delete'; readonly dueMs: number }
  | { readonly step: 'extend' | 'shrink'; readonly sizeGiB: number; readonly dueMs: number };

export interface Share {
  readonly id: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly projectId: string;
  readonly userId: string;
  readonly createdMs: number;
  readonly status: ShareStatus;
  readonly sizeGiB: number;
  readonly protocol: string;
  /** Null until the share is scheduled, unless a zone was requested. */
  readonly zone: string | null;
  /** ID of the share's instance, which is part of export paths. */
  readonly instanceId: string;
  /** Whether the share has been placed on a back end. */
  readonly isPlaced: boolean;
  /** Whether the back end has created the share. */
  readonly isExported: boolean;
  readonly typeId: string;
  readonly snapshotId: string | null;
  readonly isPublic: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  readonly pending: ShareStep | null;
}

export type AccessState = 'queued_to_apply' | 'applying' | 'active' | 'queued_to_deny' | 'denying' | 'error';

export interface AccessRule {
  readonly id: string;
  readonly shareId: string;
  readonly type: string;
  readonly to: string;
  readonly level: 'rw' | 'ro';
  readonly state: AccessState;
  readonly createdMs: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly pending: { readonly step: 'take' | 'apply' | 'deny'; readonly dueMs: number } | null;
}

export type ShareSnapshotStatus = 'creating' | 'available' | 'deleting' | 'error' | 'error_deleting';

export interface ShareSnapshot {
  readonly id: string;
  readonly shareId: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly projectId: string;
  readonly userId: string;
  readonly createdMs: number;
  readonly status: ShareSnapshotStatus;
  /** The share's size at the time of the snapshot. */
  readonly sizeGiB: number;
  readonly protocol: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly pending: { readonly step: 'create' | 'delete'; readonly dueMs: number } | null;
}

export interface ShareType {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly isPublic: boolean;
  readonly extraSpecs: Readonly<Record<string, string>>;
  /** Projects with access to a private type. */
  readonly projectIds: readonly string[];
}

/** A user message about the result of a request. */
export interface ShareMessage {
  readonly id: string;
  readonly projectId: string;
  readonly resourceId: string;
  readonly requestId: string;
  readonly text: string;
  readonly createdMs: number;
}
