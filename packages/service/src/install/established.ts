import type { Kind } from '@fairway/api/kinds/kind';
import type { CrdCondition, CustomResourceDefinition } from '@fairway/apiserver/crd/types';
import { CustomResourceDefinitions } from '@fairway/apiserver/crd/types';
import type { Clock } from '@fairway/base/clock';
import { Informer } from '@fairway/kube/client/informer';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { ApiError } from '@fairway/kube/object/api-error';
import { CommandError } from '../command-error.ts';
import { ExitCode } from '../exit-code.ts';

const ESTABLISHED_TIMEOUT_MS = 60_000;
/** An API server reports a kind as established shortly before serving it. */
const SERVED_RETRY_MS = 100;

interface Waiting {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Resolves when the API server serves the kinds. Rejects with a CommandError if a name conflicts with another CRD, or
 * after a minute.
 */
export async function waitForDefinitions(
  client: KubeClient,
  kinds: readonly Kind[],
  { clock, signal }: Waiting,
): Promise<void> {
  const deadline = new AbortController();
  const timer = clock.after(ESTABLISHED_TIMEOUT_MS, () => deadline.abort());
  const stop = AbortSignal.any([signal, deadline.signal]);
  try {
    await waitForDefinition(client, new Set(kinds.map(({ plural, group }) => `${plural}.${group}`)), clock, stop);
    for (const kind of kinds) await served(client, kind, clock, stop);
  } catch (error) {
    if (!deadline.signal.aborted) throw error;
    throw new CommandError(
      `the API server did not establish Fairway's CRDs within ${ESTABLISHED_TIMEOUT_MS / 1000} s`,
      {
        exitCode: ExitCode.TimedOut,
        advice: 'check "kubectl describe crd clusters.fairway.dev", then run "fairway install" again',
        cause: error,
      },
    );
  } finally {
    timer.cancel();
  }
}

async function waitForDefinition(
  client: KubeClient,
  names: ReadonlySet<string>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const done = Promise.withResolvers<void>();
  const stop = new AbortController();
  const informer = new Informer(client.resource(CustomResourceDefinitions), { clock });
  const waiting = new Set(names);
  const observeDefinition = (crd: CustomResourceDefinition) => {
    const name = crd.metadata.name ?? '';
    const acceptedDefinitions = conditionOf(crd, 'NamesAccepted');
    if (waiting.has(name) && acceptedDefinitions?.status === 'False') {
      const advice = 'delete the CRD with the conflicting name, if it is unused, and run "fairway install" again';
      done.reject(new CommandError(`${name}: ${acceptedDefinitions.message}`, { advice }));
    }
    if (conditionOf(crd, 'Established')?.status === 'True') waiting.delete(name);
    if (waiting.size === 0) done.resolve();
  };
  informer.addHandler({ onAdd: observeDefinition, onUpdate: (_, crd) => observeDefinition(crd) });
  const onAbort = () => done.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  informer.start(stop.signal);
  try {
    await done.promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
    stop.abort();
    await informer.stopped;
  }
}

async function served(client: KubeClient, kind: Kind, clock: Clock, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await client.resource(kind).list({ limit: 1, signal });
      return;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 404) throw error;
      await clock.sleep(SERVED_RETRY_MS, signal);
    }
  }
}

function conditionOf({ status }: CustomResourceDefinition, type: string): CrdCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}
