import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import { Controller } from '@fairway/kube/controller/controller';
import type { Runnable } from '@fairway/kube/controller/manager';
import { FlowSchemas, PriorityLevelConfigurations } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { apiVersionOf, type KubeObject, type ResourceType } from '@fairway/kube/object/meta';
import { bucketOf } from '../server/served-resource.ts';
import type { Store } from '../store/store.ts';
import { type UpkeepStep, upkeepSteps } from './upkeep-steps.ts';

export interface UpkeepOptions {
  readonly client: KubeClient;
  readonly reader: ObjectReader;
  /** Notifies of changes without a watch. */
  readonly store: Store;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** Upstream's field managers. */
const PRODUCER = 'api-priority-and-fairness-config-producer-v1';
const CONSUMER = 'api-priority-and-fairness-config-consumer-v1';
const KEY = 'flowcontrol';
const MINUTE_MS = 60_000;
/**
 * Minimum interval between writes to one object: a client that keeps changing it must not trigger a write each time.
 */
const MAX_WRITES_PER_MINUTE = 6;
/** After a check, pause for this many times its duration: with ten thousand FlowSchemas a check takes 10 ms. */
const PASS_PAUSE_FACTOR = 20;
const BUCKETS: ReadonlySet<string> = new Set([bucketOf(FlowSchemas), bucketOf(PriorityLevelConfigurations)]);

/** Creates the standard FlowSchemas and priority levels. Called at each start, because users may have deleted some. */
export async function writeFlowControlObjects({
  client,
  reader,
  clock,
}: Omit<UpkeepOptions, 'store' | 'random' | 'log'>) {
  const isStandard = ({ action }: UpkeepStep) => action !== 'condition';
  await Promise.all(
    upkeepSteps(reader, clock.now())
      .filter(isStandard)
      .map((step) => write(client, step)),
  );
  await Promise.all(upkeepSteps(reader, clock.now()).map((step) => write(client, step)));
}

/**
 * Maintains the objects for API priority and fairness. It runs when one of these objects changes, and keeps no state
 * between runs.
 */
export function flowControlUpkeep(options: UpkeepOptions): Runnable {
  const { client, reader, store, clock, random, log } = options;
  const written = new Map<string, number[]>();
  let lastPassMs = 0;
  let pauseMs = 0;

  async function reconcile() {
    const nowMs = clock.now();
    for (const [name, times] of written) if ((times.at(-1) ?? 0) <= nowMs - MINUTE_MS) written.delete(name);
    let isLate = false;
    let failure: unknown;
    const steps = upkeepSteps(reader, nowMs);
    lastPassMs = clock.now();
    pauseMs = (lastPassMs - nowMs) * PASS_PAUSE_FACTOR;
    for (const step of steps) {
      const name = `${step.type.plural}/${step.object.metadata.name}`;
      const recent = (written.get(name) ?? []).filter((atMs) => atMs > nowMs - MINUTE_MS);
      if (recent.length >= MAX_WRITES_PER_MINUTE) {
        isLate = true;
        continue;
      }
      written.set(name, [...recent, nowMs]);
      // A rejected write does not block others.
      await write(client, step).catch((error: unknown) => {
        failure ??= error;
      });
    }
    if (failure !== undefined) throw failure;
    return isLate ? { requeueAfterMs: MINUTE_MS / 2 } : {};
  }

  const controller = new Controller({ name: 'flow-control', reconcile, clock, random, log });
  return {
    name: controller.name,
    start(signal) {
      controller.start(signal);
      controller.enqueue(KEY);
      const stop = store.subscribe((changes) => {
        if (!changes.some(({ bucket }) => BUCKETS.has(bucket))) return;
        controller.enqueue(KEY, Math.min(pauseMs, lastPassMs + pauseMs - clock.now()));
      });
      signal.addEventListener('abort', stop, { once: true });
    },
    get stopped() {
      return controller.stopped;
    },
  };
}

async function write(client: KubeClient, step: UpkeepStep): Promise<void> {
  try {
    if (step.action === 'condition') await writeConditions(client, step);
    else if (step.type === FlowSchemas) await writeObject(client, FlowSchemas, step.action, step.object);
    else await writeObject(client, PriorityLevelConfigurations, step.action, step.object);
  } catch (error) {
    // The conflicting change triggers the next check.
    if (!isApiError(error, 'NotFound', 'AlreadyExists', 'Conflict')) throw error;
  }
}

async function writeObject<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType<T>,
  action: 'create' | 'update' | 'delete',
  object: T,
): Promise<void> {
  const resource = client.resource(type);
  const options = { fieldManager: PRODUCER };
  if (action === 'delete') await resource.delete(object.metadata.name ?? '');
  else if (action === 'update') await resource.update(object, options);
  else await resource.create({ ...object, apiVersion: apiVersionOf(type), kind: type.kind }, options);
}

async function writeConditions(client: KubeClient, { object }: UpkeepStep & { action: 'condition' }): Promise<void> {
  const { metadata, status } = object;
  const applied = { metadata: { name: metadata.name ?? '' }, status };
  const options = { fieldManager: CONSUMER, force: true, subresource: 'status' };
  await client.resource(FlowSchemas).apply(applied as typeof object, options);
}
