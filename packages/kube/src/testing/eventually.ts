import { type Clock, systemClock } from '@fairway/base/clock';
import { Informer } from '../client/informer.ts';
import type { ResourceClient } from '../client/resource-client.ts';
import type { KubeObject } from '../object/meta.ts';

export interface EventuallySelection {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/**
 * Ends a hanging wait before the test's own limit (600 s), and reports the last state. Not a performance limit. `npm
 * run ledger`, whose tests fail on purpose, sets a shorter deadline for some runs of a test.
 */
function defaultDeadlineMs(): number {
  return Number(process.env['FAIRWAY_TEST_DEADLINE_MS'] ?? 300_000);
}

export interface EventuallyOptions {
  /** In real time, independent of the test's clock. 300 s by default. */
  readonly deadlineMs?: number;
  /** The server's clock, which limits watches; the real one by default. */
  readonly clock?: Clock;
}

/**
 * Watches objects of a kind until they satisfy `predicate`, and resolves with these objects. `predicate` passes when
 * it returns true; it may throw (an `expect`), and the error is reported. It is called after each change, without
 * polling. After the deadline, `eventually` rejects with the last failure and the last state.
 */
export async function eventually<T extends KubeObject>(
  client: ResourceClient<T>,
  selection: EventuallySelection,
  predicate: (objects: readonly T[]) => boolean,
  { deadlineMs = defaultDeadlineMs(), clock = systemClock }: EventuallyOptions = {},
): Promise<readonly T[]> {
  const stop = new AbortController();
  const outcome = Promise.withResolvers<readonly T[]>();
  const informer = new Informer(client, { ...selection, clock });
  let failure: unknown;
  const checkCache = () => {
    if (!informer.hasSynced) return;
    const objects = informer.list();
    try {
      if (predicate(objects)) outcome.resolve(objects);
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
  informer.addHandler({ onAdd: checkCache, onUpdate: checkCache, onDelete: checkCache });
  informer.start(stop.signal);
  void informer.whenSynced(stop.signal).then(checkCache, () => undefined);
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

/** Like `eventually`, for one object that must exist. */
export async function eventuallyObject<T extends KubeObject>(
  client: ResourceClient<T>,
  { namespace, name }: ObjectName,
  predicate: (object: T) => boolean = () => true,
  options: EventuallyOptions = {},
): Promise<T> {
  const found = await eventually(
    client,
    selectionOf({ name, ...(namespace !== undefined && { namespace }) }),
    ([object]) => object !== undefined && predicate(object),
    options,
  );
  return found[0] as T;
}

/** Resolves when no object with this name exists. */
export async function eventuallyDeleted<T extends KubeObject>(
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
