import type { Discovery, ServedResource } from '@fairway/kube/client/discovery';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { isApiError } from '@fairway/kube/object/api-error';
import type { KubeObject } from '@fairway/kube/object/meta';

/** Remaining content of a namespace after an attempt to delete it. */
export interface RemainingContent {
  /** `plural.group` → number of remaining objects. */
  readonly objects: ReadonlyMap<string, number>;
  /** Finalizer → number of objects that it blocks. */
  readonly finalizers: ReadonlyMap<string, number>;
  /**
   * Estimated seconds until the rest is deleted: the longest grace period, 15 s for finalizers; 0 if nothing is left.
   */
  readonly estimateSeconds: number;
  readonly failures: readonly string[];
}

/** Upstream's estimate for objects that wait for something other than their grace period. */
const FINALIZER_ESTIMATE_SECONDS = 15;

const PAGE_SIZE = 500;
/** Maximum objects to count per kind in a namespace. */
const MAX_PAGES = 1000;
/** Maximum reported finalizers, per kind and in total. */
const MAX_FINALIZERS = 20;
/** Maximum length of a finalizer in Kubernetes. */
const MAX_FINALIZER_CHARS = 317;
/** Maximum reported failures: an aggregated API server controls their messages. */
const MAX_EXPLAINED_FAILURES = 20;
const MAX_FAILURE_CHARS = 500;

/**
 * Deletes all objects in a namespace, pods first, as in Kubernetes since 1.33: what a pod relies on, such as its
 * NetworkPolicies, must outlive it. Continues past failures and reports them.
 */
export async function deleteContent(
  client: KubeClient,
  namespace: string,
  { resources }: Discovery,
  signal: AbortSignal,
): Promise<RemainingContent> {
  const deletable = resources.filter(
    ({ namespaced, verbs }) => namespaced && verbs.includes('delete') && verbs.includes('list'),
  );
  const isPods = ({ group, plural }: ServedResource) => group === '' && plural === 'pods';
  const remaining = new RemainingContentBuilder();
  await deleteKinds(client, namespace, deletable.filter(isPods), remaining, signal);
  if (remaining.isEmpty) {
    await deleteKinds(
      client,
      namespace,
      deletable.filter((resource) => !isPods(resource)),
      remaining,
      signal,
    );
  }
  return remaining;
}

async function deleteKinds(
  client: KubeClient,
  namespace: string,
  resources: readonly ServedResource[],
  remaining: RemainingContentBuilder,
  signal: AbortSignal,
): Promise<void> {
  for (const resource of resources) {
    try {
      const left = await deleteKind(client, namespace, resource, signal);
      remaining.add(resource, left);
    } catch (error) {
      // A kind that was removed since discovery has no objects.
      if (isApiError(error, 'NotFound', 'MethodNotAllowed')) continue;
      if (signal.aborted) throw error;
      remaining.fail(resource, error instanceof Error ? error.message : String(error));
    }
  }
}

/** Deletes the objects of a kind; resolves with the objects that remain. */
async function deleteKind(
  client: KubeClient,
  namespace: string,
  resource: ServedResource,
  signal: AbortSignal,
): Promise<Tally> {
  const objects = client.metadata(resource);
  const supportsDeleteCollection = resource.verbs.includes('deletecollection');
  const previous = new Tally();
  for await (const page of pages(client, namespace, resource, signal)) {
    previous.add(page);
    if (supportsDeleteCollection) continue;
    for (const { metadata } of page) {
      if (metadata.deletionTimestamp !== undefined) continue;
      await deleteOne(client, resource, namespace, metadata.name ?? '', signal);
    }
  }
  if (previous.isTerminating) return previous;
  if (supportsDeleteCollection) await objects.deleteCollection({ namespace, propagationPolicy: 'Background', signal });
  const left = new Tally();
  for await (const page of pages(client, namespace, resource, signal)) left.add(page);
  return left;
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

/**
 * The objects of a kind, page by page. An aggregated API server may return any number of objects, and endless pages.
 */
async function* pages(
  client: KubeClient,
  namespace: string,
  resource: ServedResource,
  signal: AbortSignal,
): AsyncGenerator<readonly KubeObject[]> {
  let token: string | undefined;
  for (let count = 0; count < MAX_PAGES; count++) {
    const page = await client
      .metadata(resource)
      .list({ namespace, limit: PAGE_SIZE, signal, ...(token !== undefined && { continue: token }) });
    yield page.items;
    token = page.metadata.continue || undefined;
    if (token === undefined) return;
  }
  throw new Error(`there are more than ${MAX_PAGES} pages of them`);
}

/** Counts the objects of a kind. */
class Tally {
  count = 0;
  /** Whether all counted objects are being deleted. */
  isTerminating = true;
  readonly finalizers = new Map<string, number>();
  estimateSeconds = 0;

  add(objects: readonly KubeObject[]): void {
    this.count += objects.length;
    for (const { metadata } of objects) {
      if (metadata.deletionTimestamp === undefined) this.isTerminating = false;
      for (const finalizer of metadata.finalizers ?? [])
        addTo(this.finalizers, start(finalizer, MAX_FINALIZER_CHARS), 1);
      const isHeld = (metadata.finalizers?.length ?? 0) > 0 || !metadata.deletionGracePeriodSeconds;
      const seconds = isHeld ? FINALIZER_ESTIMATE_SECONDS : metadata.deletionGracePeriodSeconds;
      this.estimateSeconds = Math.max(this.estimateSeconds, seconds ?? 0);
    }
  }
}

class RemainingContentBuilder implements RemainingContent {
  readonly objects = new Map<string, number>();
  readonly finalizers = new Map<string, number>();
  readonly failures: string[] = [];
  estimateSeconds = 0;

  get isEmpty(): boolean {
    return this.objects.size === 0 && this.failures.length === 0;
  }

  add({ group, plural }: ServedResource, left: Tally): void {
    if (left.count === 0) return;
    this.objects.set(`${plural}.${group}`, left.count);
    for (const [finalizer, count] of left.finalizers) addTo(this.finalizers, finalizer, count);
    this.estimateSeconds = Math.max(this.estimateSeconds, left.estimateSeconds);
  }

  fail({ plural }: ServedResource, message: string): void {
    const isExplained = this.failures.length < MAX_EXPLAINED_FAILURES;
    const failure = `unexpected error deleting ${plural}`;
    this.failures.push(isExplained ? `${failure}: ${start(message, MAX_FAILURE_CHARS)}` : failure);
  }
}

function addTo(counts: Map<string, number>, name: string, count: number): void {
  if (counts.size < MAX_FINALIZERS || counts.has(name)) counts.set(name, (counts.get(name) ?? 0) + count);
}

/** Copies the string: a substring would keep the whole string in memory. */
function start(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : Buffer.from(text.slice(0, maxChars)).toString();
}
