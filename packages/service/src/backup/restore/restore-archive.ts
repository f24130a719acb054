import { type Clock, formatTime } from '@fairway/base/clock';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ResourceType } from '@fairway/kube/object/meta';
import type { Archive } from '../archive.ts';
import type { Header } from '../header.ts';
import { planRestore, type RestorePlan } from './restore-plan.ts';
import { readPhase, writePhase } from './restore-record.ts';
import { readTarget } from './restore-target.ts';
import { resumeObjects } from './resume-objects.ts';
import { writeObjects } from './write-objects.ts';

export interface RestoreRequest {
  readonly backup: Pick<Header, 'id' | 'createdAt'>;
  readonly archive: Archive;
  /** Overwrite existing objects that differ from the backup. */
  readonly overwrite: boolean;
  /** Leave the clusters paused. */
  readonly keepPaused: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /**
   * Called with the plan before anything is written; an exception aborts the restore. Not called if the run only has to
   * resume objects.
   */
  readonly onPlan: (plan: RestorePlan) => void;
  /** Called for every object that is in its desired state, with its kind. */
  readonly onDone: (type: ResourceType) => void;
}

/**
 * Creates everything in an archive, and resumes reconciliation once all objects exist. May be killed at any point: the next run
 * determines the progress from what the target contains.
 */
export async function restoreArchive(client: KubeClient, request: RestoreRequest): Promise<void> {
  const { backup, archive, overwrite, keepPaused, clock, signal, onPlan, onDone } = request;
  const { contents, objects } = archive;
  const facts = { source: contents.server, createdAt: backup.createdAt };
  if ((await readPhase(client, backup.id)) !== 'Resuming') {
    const plan = planRestore(objects, await readTarget(client, objects, signal), overwrite);
    onPlan(plan);
    await writeObjects(client, plan.steps, { signal, onDone });
    await writePhase(client, backup.id, 'Resuming', facts);
  }
  await resumeObjects(client, objects, { keepPaused, signal });
  await writePhase(client, backup.id, 'Done', { ...facts, restoredAt: formatTime(clock.now()) });
}
