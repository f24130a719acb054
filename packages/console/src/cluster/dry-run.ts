import { Failure } from '../api/failure.ts';
import { open } from '../api/request.ts';
import { pathOf, type Resource, type Stored } from '../api/resources.ts';
import { problemsByField } from '../api/write.ts';
import { warningsOf } from './warnings.ts';

/** What the API says of an object before it is written. */
export interface Verdict {
  /** By the path of the field; what is about none is under ''. */
  readonly problems: ReadonlyMap<string, readonly string[]>;
  readonly warnings: readonly string[];
  /** The object as it would be, with defaults. */
  readonly object: Stored | undefined;
  /** Why it says nothing now: it is away, or busy. */
  readonly failure: Failure | undefined;
}

export const NOTHING_SAID: Verdict = { problems: new Map(), warnings: [], object: undefined, failure: undefined };

/** On a NodePool of a dry run: what would be created before it, so that both are validated together. */
const SIBLINGS_ANNOTATION = 'fairway.dev/dry-run-with';
const QUERY = new URLSearchParams({ dryRun: 'All', fieldManager: 'fairway-console', fieldValidation: 'Strict' });

interface Bare {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** The annotation by which the API validates a NodePool together with a Cluster and NodePools that there are not yet. */
export function withSiblings<T extends Bare>(pool: T, cluster: Bare, pools: readonly Bare[]): T {
  const siblings = JSON.stringify({ clusters: [cluster], pools });
  return { ...pool, metadata: { ...pool.metadata, annotations: { [SIBLINGS_ANNOTATION]: siblings } } };
}

/** What would become of creating the object. Rejects only if it is aborted. */
export function tryCreate<T extends Stored>(
  resource: Resource<T>,
  object: Bare,
  signal: AbortSignal,
): Promise<Verdict> {
  const path = `${pathOf(resource, object.metadata.namespace)}?${QUERY}`;
  return verdictOf(() => open(path, { method: 'POST', body: object, signal }), signal);
}

/** What would become of changing some fields of the object. */
export function tryChange<T extends Stored>(
  resource: Resource<T>,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
  patch: object,
  signal: AbortSignal,
): Promise<Verdict> {
  const path = `${pathOf(resource, namespace, name)}?${QUERY}`;
  const options = { method: 'PATCH', contentType: 'application/merge-patch+json', body: patch, signal } as const;
  return verdictOf(() => open(path, options), signal);
}

async function verdictOf(ask: () => Promise<Response>, signal: AbortSignal): Promise<Verdict> {
  try {
    const response = await ask();
    const object = (await response.json()) as Stored;
    return { ...NOTHING_SAID, warnings: warningsOf(response.headers.get('warning')), object };
  } catch (error) {
    signal.throwIfAborted();
    const failure = error instanceof Failure ? error : new Failure(0, String(error));
    if (failure.reason === 'AlreadyExists') {
      return { ...NOTHING_SAID, problems: new Map([['metadata.name', [failure.message]]]) };
    }
    return failure.isPassing ? { ...NOTHING_SAID, failure } : { ...NOTHING_SAID, problems: problemsByField(failure) };
  }
}
