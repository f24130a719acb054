import { inParallel } from '@fairway/base/in-parallel';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { isApiError } from '@fairway/kube/object/api-error';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { CommandError } from '../../command-error.ts';
import { objectName } from '../backed-up-kinds.ts';
import { desiredObject, desiredStatus, isBeingRestored } from './desired-object.ts';
import type { Step } from './restore-plan.ts';

const FIELD_MANAGER = 'fairway-restore';
const WIDTH = 16;

export interface WriteOptions {
  readonly signal: AbortSignal;
  /** Called for every object that is in its desired state, with its kind. */
  readonly onDone: (type: ResourceType) => void;
}

/**
 * Creates the missing objects, kind by kind. Objects that controllers reconcile are created paused, and have
 * their cloud identity by the time this resolves. May be killed at any point: another plan continues from there.
 */
export async function writeObjects(
  client: KubeClient,
  steps: readonly Step[],
  { signal, onDone }: WriteOptions,
): Promise<void> {
  const uids = new Map<string | undefined, string | undefined>();
  const note = (source: KubeObject, createdObject: KubeObject) =>
    uids.set(source.metadata.uid, createdObject.metadata.uid);
  for (const step of steps) if ('existing' in step) note(step.source, step.existing);
  for (const [, ofKind] of Map.groupBy(steps, ({ type }) => type)) {
    await inParallel(ofKind, WIDTH, async (step) => {
      const object = await writeObject(client, step, (uid) => uids.get(uid), signal);
      if (object) note(step.source, object);
      onDone(step.type);
    });
  }
}

async function writeObject(
  client: KubeClient,
  step: Step,
  uidOf: (uid: string) => string | undefined,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const { type, source } = step;
  const resource = client.resource(type);
  const { name = '', namespace } = source.metadata;
  const options = { fieldManager: FIELD_MANAGER, signal };
  switch (step.action) {
    case 'create': {
      const desired = desiredObject(type, source, uidOf);
      const createdObject = await resource.create(desired, options).catch((error: unknown) => {
        throw isApiError(error, 'AlreadyExists') ? createdMeanwhile(type, source, error) : error;
      });
      await writeStatus(client, type, source, createdObject, signal);
      return createdObject;
    }
    case 'complete':
      await writeStatus(client, type, source, step.existing, signal);
      return step.existing;
    case 'overwrite': {
      const { metadata: _metadata, ...content } = desiredObject(type, source, uidOf);
      const changed = await resource.update({ ...step.existing, ...content }, options);
      if (isBeingRestored(changed)) await writeStatus(client, type, source, changed, signal);
      return changed;
    }
    case 'annotate':
      return resource.patch(
        name,
        { type: 'merge', value: { metadata: step.metadata } },
        { ...options, ...(namespace !== undefined && { namespace }) },
      );
    case 'keep':
    case 'leaveOut':
      return undefined;
  }
}

function createdMeanwhile(type: ResourceType, source: KubeObject, cause: unknown): CommandError {
  return new CommandError(`${objectName(type, source)} was created by another client in the meantime`, {
    advice: 'run the restore again: it continues and lists differences',
    cause,
  });
}

async function writeStatus(
  client: KubeClient,
  type: ResourceType,
  source: KubeObject,
  { metadata: { uid } }: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  const status = desiredStatus(type, source);
  if (status === undefined) return;
  const { name = '', namespace } = source.metadata;
  const options = {
    subresource: 'status',
    fieldManager: FIELD_MANAGER,
    signal,
    ...(namespace !== undefined && { namespace }),
  };
  try {
    await client.resource(type).patch(name, { type: 'merge', value: { metadata: { uid }, status } }, options);
  } catch (error) {
    if (!isApiError(error, 'Invalid') || !error.message.includes('status.originUID')) throw error;
    throw new CommandError(`${objectName(type, source)}: it was resumed before it was restored: ${error.message}`, {
      advice: 'delete it, wait until it is deleted, and run the restore again',
      cause: error,
    });
  }
}
