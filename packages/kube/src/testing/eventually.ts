import { systemClock } from '@fairway/base/clock';
import { Informer } from '../client/informer.ts';
import type { ResourceClient } from '../client/resource-client.ts';
import type { KubeObject } from '../object/meta.ts';

export interface EventuallySelection {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface EventuallyOptions {
  /** Real time, however fast the test's own clock runs. 5 s unless said otherwise. */
  readonly deadlineMs?: number;
}

/**
 * Follows a kind until `check` holds of its objects, and resolves with them. `check` holds when it neither throws (an `expect`) nor returns
 * false. There is no polling: it is asked again at each change. After the deadline it rejects with the last failure and what was there.
 */
export async function eventually<T extends KubeObject>(
  client: ResourceClient<T>,
  selection: EventuallySelection,
  check: (objects: readonly T[]) => unknown,
  { deadlineMs = 5_000 }: EventuallyOptions = {},
): Promise<readonly T[]> {
  const stop = new AbortController();
  const outcome = Promise.withResolvers<readonly T[]>();
  const informer = new Informer(client, selection);
  let failure: unknown;
  const look = () => {
    if (!informer.hasSynced) return;
    const objects = informer.list();
    try {
      if (check(objects) !== false) outcome.resolve(objects);
    } catch (error) {
      failure = error;
    }
  };
  const deadline = systemClock.after(deadlineMs, () => {
    const { kind } = client.type;
    const why = failure instanceof Error ? `: ${failure.message}` : '';
    const state = informer.hasSynced ? summarize(informer.list()) : `no list yet (${String(informer.lastError)})`;
    outcome.reject(new Error(`${kind}: not within ${deadlineMs} ms${why}\nlast seen: ${state}`, { cause: failure }));
  });
  informer.addHandler({ onAdd: look, onUpdate: look, onDelete: look });
  informer.start(stop.signal);
  void informer.whenSynced(stop.signal).then(look, () => undefined);
  try {
    return await outcome.promise;
  } finally {
    deadline.cancel();
    stop.abort();
    await informer.stopped;
  }
}

export interface ObjectName {
  readonly namespace?: string;
  readonly name: string;
}

/** As `eventually`, of one object, which must exist. */
export async function eventuallyObject<T extends KubeObject>(
  client: ResourceClient<T>,
  { namespace, name }: ObjectName,
  check: (object: T) => unknown = () => true,
  options: EventuallyOptions = {},
): Promise<T> {
  const found = await eventually(
    client,
    selectionOf({ name, ...(namespace !== undefined && { namespace }) }),
    ([object]) => object !== undefined && check(object),
    options,
  );
  return found[0] as T;
}

/** Resolves when there is no object of that name. */
export async function eventuallyGone<T extends KubeObject>(
  client: ResourceClient<T>,
  object: ObjectName,
  options: EventuallyOptions = {},
): Promise<void> {
  await eventually(client, selectionOf(object), (objects) => objects.length === 0, options);
}

function selectionOf({ namespace, name }: ObjectName): EventuallySelection {
  return { fieldSelector: `metadata.name=${name}`, ...(namespace !== undefined && { namespace }) };
}

function summarize(objects: readonly KubeObject[]): string {
  const text = JSON.stringify(objects, undefined, 1);
  return text.length > 4_000 ? `${text.slice(0, 4_000)}… (${objects.length} objects)` : text;
}
