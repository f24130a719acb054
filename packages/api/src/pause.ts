import type { KubeObject } from '@fairway/kube/object/meta';
import { PAUSED_ANNOTATION } from './group.ts';

/** Whether the controllers leave the object alone: because of itself, or of the cluster that it belongs to. Any value counts. */
export function isPaused(object: KubeObject, cluster?: KubeObject): boolean {
  return [object, cluster].some((each) => each?.metadata.annotations?.[PAUSED_ANNOTATION] !== undefined);
}

/** Values of the annotation that a backup and a restore write, so that they know their own pauses from people's. */
export const BACKUP_PAUSE = 'backup';
export const RESTORE_PAUSE = 'restore';
