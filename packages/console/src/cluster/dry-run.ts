import { Failure } from '../api/failure.ts';
import { open } from '../api/request.ts';
import { pathOf, type Resource, type StoredObject } from '../api/resources.ts';
import { problemsByField } from '../api/write.ts';
import { warningsOf } from './warnings.ts';

/** The result of a dry run. */
export interface DryRunResult {
  /** Messages by field path; messages without a field are under ''. */
  readonly problems: ReadonlyMap<string, readonly string[]>;
  readonly warnings: readonly string[];
  /** The object as it would be stored, with defaults. */
  readonly object: StoredObject | undefined;
  /** Why there is no result: the server is unreachable or busy. */
  readonly failure: Failure | undefined;
}

export const EMPTY_RESULT: DryRunResult = { problems: new Map(), warnings: [], object: undefined, failure: undefined };

/**
 * An annotation on a NodePool in a dry run. It contains the objects that would be created before the NodePool, so that
 * all are validated together.
 */
const SIBLINGS_ANNOTATION = 'fairway.dev/dry-run-with';
const QUERY = new URLSearchParams({ dryRun: 'All', fieldManager: 'fairway-console', fieldValidation: 'Strict' });

interface NamedObject {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/**
 * Builds the annotation with which the API validates a NodePool together with a Cluster and NodePools that do not exist
 * yet.
 */
export function withSiblings<T extends NamedObject>(pool: T, cluster: NamedObject, pools: readonly NamedObject[]): T {
  const siblings = JSON.stringify({ clusters: [cluster], pools });
  return { ...pool, metadata: { ...pool.metadata, annotations: { [SIBLINGS_ANNOTATION]: siblings } } };
}

/** The result of a dry run that creates the object. Rejects only if it is aborted. */
export function dryRunCreate<T extends StoredObject>(
  resource: Resource<T>,
  object: NamedObject,
  signal: AbortSignal,
): Promise<DryRunResult> {
  const path = `${pathOf(resource, object.metadata.namespace)}?${QUERY}`;
  return dryRunResult(() => open(path, { method: 'POST', body: object, signal }), signal);
}

/** The result of a dry run that patches the object. */
export function dryRunPatch<T extends StoredObject>(
  resource: Resource<T>,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
  patch: object,
  signal: AbortSignal,
): Promise<DryRunResult> {
  const path = `${pathOf(resource, namespace, name)}?${QUERY}`;
  const options = { method: 'PATCH', contentType: 'application/merge-patch+json', body: patch, signal } as const;
  return dryRunResult(() => open(path, options), signal);
}

async function dryRunResult(sendDryRun: () => Promise<Response>, signal: AbortSignal): Promise<DryRunResult> {
  try {
    const response = await sendDryRun();
    const object = (await response.json()) as StoredObject;
    return { ...EMPTY_RESULT, warnings: warningsOf(response.headers.get('warning')), object };
  } catch (error) {
    signal.throwIfAborted();
    const failure = error instanceof Failure ? error : new Failure(0, String(error));
    if (failure.reason === 'AlreadyExists') {
      return { ...EMPTY_RESULT, problems: new Map([['metadata.name', [failure.message]]]) };
    }
    return failure.isTransient ? { ...EMPTY_RESULT, failure } : { ...EMPTY_RESULT, problems: problemsByField(failure) };
  }
}
