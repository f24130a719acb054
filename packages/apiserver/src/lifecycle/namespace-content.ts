import type { Discovery, ServedResource } from '@fairway/kube/client/discovery';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { isApiError } from '@fairway/kube/object/api-error';
import type { KubeObject } from '@fairway/kube/object/meta';

/** What is left of a namespace's content after an attempt to delete it. */
export interface Remains {
  /** `plural.group` → how many objects are left. */
  readonly objects: ReadonlyMap<string, number>;
  /** Finalizer → how many objects it holds. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Estimated seconds until the rest is gone: the longest grace period, 15 s for finalizers; 0 if nothing is left. */
  readonly estimateSeconds: number;
  readonly failures: readonly string[];
}

/** Upstream's estimate for objects that wait for something other than their grace period. */
const FINALIZER_ESTIMATE_SECONDS = 15;

const PAGE_SIZE = 500;

/**
 * Deletes all objects of a namespace, pods first: what a pod relies on (its NetworkPolicies) outlives it, as since Kubernetes 1.33.
 * Continues past failures and reports them.
 */
export async function deleteContent(
  client: KubeClient,
  namespace: string,
  { resources }: Discovery,
  signal: AbortSignal,
): Promise<Remains> {
  const deletable = resources.filter(
    ({ namespaced, verbs }) => namespaced && verbs.includes('delete') && verbs.includes('list'),
  );
  const isPods = ({ group, plural }: ServedResource) => group === '' && plural === 'pods';
  const remains = new RemainsBuilder();
  await deleteKinds(client, namespace, deletable.filter(isPods), remains, signal);
  if (remains.isEmpty) {
    await deleteKinds(
      client,
      namespace,
      deletable.filter((resource) => !isPods(resource)),
      remains,
      signal,
    );
  }
  return remains;
}

async function deleteKinds(
  client: KubeClient,
  namespace: string,
  resources: readonly ServedResource[],
  remains: RemainsBuilder,
  signal: AbortSignal,
): Promise<void> {
  for (const resource of resources) {
    try {
      const left = await deleteKind(client, namespace, resource, signal);
      remains.add(resource, left);
    } catch (error) {
      // A kind that went away since it was discovered holds nothing.
      if (isApiError(error, 'NotFound', 'MethodNotAllowed')) continue;
      if (signal.aborted) throw error;
      remains.fail(
        `unexpected error deleting ${resource.plural}: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
}

/** Deletes the objects of a kind; resolves with those that are still there. */
async function deleteKind(
  client: KubeClient,
  namespace: string,
  resource: ServedResource,
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const objects = client.metadata(resource);
  const before = await listAll(client, namespace, resource, signal);
  if (before.every(({ metadata }) => metadata.deletionTimestamp !== undefined)) return before;
  if (resource.verbs.includes('deletecollection')) {
    await objects.deleteCollection({ namespace, propagationPolicy: 'Background', signal });
  } else {
    for (const { metadata } of before) await deleteOne(client, resource, namespace, metadata.name ?? '', signal);
  }
  return listAll(client, namespace, resource, signal);
}

async function deleteOne(
  client: KubeClient,
  resource: ServedResource,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.metadata(resource).delete(name, { namespace, propagationPolicy: 'Background', signal });
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}

async function listAll(
  client: KubeClient,
  namespace: string,
  resource: ServedResource,
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const found: KubeObject[] = [];
  let token: string | undefined;
  do {
    const page = await client
      .metadata(resource)
      .list({ namespace, limit: PAGE_SIZE, signal, ...(token !== undefined && { continue: token }) });
    found.push(...page.items);
    token = page.metadata.continue || undefined;
  } while (token !== undefined);
  return found;
}

class RemainsBuilder implements Remains {
  readonly objects = new Map<string, number>();
  readonly finalizers = new Map<string, number>();
  readonly failures: string[] = [];
  estimateSeconds = 0;

  get isEmpty(): boolean {
    return this.objects.size === 0 && this.failures.length === 0;
  }

  add({ group, plural }: ServedResource, left: readonly KubeObject[]): void {
    if (left.length === 0) return;
    this.objects.set(`${plural}.${group}`, left.length);
    for (const { metadata } of left) {
      for (const finalizer of metadata.finalizers ?? []) {
        this.finalizers.set(finalizer, (this.finalizers.get(finalizer) ?? 0) + 1);
      }
      const isHeld = (metadata.finalizers?.length ?? 0) > 0 || !metadata.deletionGracePeriodSeconds;
      const seconds = isHeld ? FINALIZER_ESTIMATE_SECONDS : metadata.deletionGracePeriodSeconds;
      this.estimateSeconds = Math.max(this.estimateSeconds, seconds ?? 0);
    }
  }

  fail(message: string): void {
    this.failures.push(message);
  }
}
