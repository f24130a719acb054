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
  /** Let the backup count where an object already exists and differs. */
  readonly overwrite: boolean;
  /** Leave the clusters paused. */
  readonly keepPaused: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Told of the plan before anything is written; what it throws ends the restore. Not called by a run that has only to resume. */
  readonly onPlan: (plan: RestorePlan) => void;
  /** Told of every object of a kind that is as it should be. */
  readonly onDone: (type: ResourceType) => void;
}

/**
 * Makes everything of an archive, and gives it to the controllers when all is there. May be killed at any instruction: the next run finds out
 * how far this one has come from what the target holds.
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
