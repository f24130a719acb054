import type { KubeObject } from '@fairway/kube/object/meta';
import { PAUSED_ANNOTATION } from './group.ts';

/**
 * Whether reconciliation of the object is paused, by its own annotation or by its cluster's. Any value of the
 * annotation counts.
 */
export function isPaused(object: KubeObject, cluster?: KubeObject): boolean {
  return [object, cluster].some((each) => each?.metadata.annotations?.[PAUSED_ANNOTATION] !== undefined);
}

/** Annotation values set by a backup and a restore, which distinguish their pauses from a user's. */
export const BACKUP_PAUSE = 'backup';
export const RESTORE_PAUSE = 'restore';
