import { GROUP, VERSION } from '@fairway/api/group';
import { KINDS } from '@fairway/api/kinds/all';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { plans } from '@fairway/api/kinds/plan';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { InformerReader } from '@fairway/kube/client/informer-reader';
import { InformerSet } from '@fairway/kube/client/informer-set';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { isEmbedded } from '../install/is-embedded.ts';
import type { Engine } from './engine.ts';

export interface ManagementEngineOptions {
  /** The client used by Fairway's controllers; closed with the engine. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Aborts the wait for the first lists. */
  readonly signal?: AbortSignal;
}

/**
 * Thrown if an API server does not serve all of Fairway's kinds: `fairway install` was not run, or was run by an older
 * release.
 */
export class MissingKindsError extends Error {
  override readonly name = 'MissingKindsError';
}

/**
 * Thrown if the API server is that of `fairway up`, which runs its own controllers: two sets of controllers would undo
 * each other's work.
 */
export class EmbeddedManagementError extends Error {
  override readonly name = 'EmbeddedManagementError';
}

/** Kinds for synchronous reads; controllers share the caches. */
const CACHED_KINDS = [Namespaces, cloudCredentials, clusters, plans, kubernetesReleases];

/**
 * A real Kubernetes cluster that stores Fairway's objects as custom resources; its own control plane does the rest. Rejects with a
 * MissingKindsError or an EmbeddedManagementError, or with the ApiError or TransportError of the first request.
 */
export async function openManagementEngine(options: ManagementEngineOptions): Promise<Engine> {
  const { client, clock, random, log, signal } = options;
  const caches = new AbortController();
  const informers = new InformerSet(client, { clock, random, log });
  const reader = new InformerReader(informers, CACHED_KINDS);
  const close = async () => {
    caches.abort();
    await informers.stopped();
    client.close();
  };
  try {
    const { gitVersion } = await client.version();
    if (isEmbedded(gitVersion)) throw new EmbeddedManagementError('it is the API of a "fairway up"');
    await requireKinds(client);
    // This request reports missing permissions now; a cache would retry forever.
    await Promise.all(CACHED_KINDS.map((type) => client.resource<KubeObject>(type).list({ limit: 1 })));
    informers.start(caches.signal);
    await informers.whenSynced(signal);
  } catch (error) {
    await close();
    throw error;
  }
  return { client, reader, informers, runnables: [], close };
}

const ResourceList = z.object({ resources: z.array(z.object({ name: z.string() })) });

async function requireKinds(client: KubeClient): Promise<void> {
  const served = new Set(await servedPlurals(client));
  const missing = KINDS.map(({ plural }) => plural).filter((plural) => !served.has(plural));
  if (missing.length > 0) {
    throw new MissingKindsError(`the API server does not serve ${missing.join(', ')} of ${GROUP}/${VERSION}`);
  }
}

async function servedPlurals(client: KubeClient): Promise<string[]> {
  try {
    const response = await client.raw({ method: 'GET', path: `/apis/${GROUP}/${VERSION}` });
    return ResourceList.parse(JSON.parse(await response.text())).resources.map(({ name }) => name);
  } catch (error) {
    if (isApiError(error, 'NotFound')) return [];
    throw error;
  }
}
