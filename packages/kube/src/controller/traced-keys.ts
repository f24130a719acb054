import { RecentMap } from '@fairway/base/recent-map';
import { type Cause, inSpan, objectName, type Span, type Tracer, versionName } from '@fairway/base/tracing';
import { isApiError } from '../object/api-error.ts';
import type { KubeObject } from '../object/meta.ts';
import type { Result } from './result.ts';

/** Maximum number of keys whose causes are remembered, and for each key, of versions whose writer is unknown. */
const MAX_KEYS = 10_000;
const MAX_VERSIONS = 4;

interface Version {
  readonly name: string;
  /** The object's UID. */
  readonly object: string | undefined;
}

interface KeyTrace {
  /**
   * Versions from events since the last run, and earlier versions without a known cause: the event of a write may
   * arrive before its response.
   */
  versions: readonly Version[];
  /** The causes of the last run. A run triggered by time or by the cloud continues their trace. */
  causes: readonly Cause[];
}

/** Links one controller's runs to the traces of the writes that caused them. */
export class TracedKeys {
  readonly #tracer: Tracer;
  readonly #controller: string;
  readonly #known = new RecentMap<KeyTrace>(MAX_KEYS);

  constructor(tracer: Tracer, controller: string) {
    this.#tracer = tracer;
    this.#controller = controller;
  }

  /** Records that keys were enqueued because of this version of an object. */
  record(keys: Iterable<string>, { kind, metadata }: KubeObject): void {
    const { uid, resourceVersion, namespace, name } = metadata;
    const versionKey = versionName(uid, resourceVersion);
    if (versionKey === undefined) return;
    const object = kind === undefined || name === undefined ? undefined : objectName(kind, namespace, name);
    const version = { name: versionKey, object };
    for (const key of keys) {
      const { versions = [], causes = [] } = this.#known.get(key) ?? {};
      this.#known.set(key, { versions: [...versions, version].slice(-MAX_VERSIONS), causes });
    }
  }

  /** Runs `reconcile` in the run's own span, or in none, but never in the span of the code that delivered the event. */
  async run(key: string, reconcile: () => Promise<Result>): Promise<Result> {
    const span = this.#start(key);
    try {
      const result = await inSpan(span, reconcile);
      if (result.failure !== undefined) span?.fail('reported');
      span?.set({ 'fairway.requeue_after_ms': result.requeueAfterMs });
      return result;
    } catch (error) {
      span?.fail(isApiError(error) ? error.reason : error instanceof Error ? error.name : 'error');
      throw error;
    } finally {
      span?.end();
    }
  }

  #start(key: string): Span | undefined {
    const { versions = [], causes: last = [] } = this.#known.get(key) ?? {};
    const found = versions.map((version) => ({ version, cause: this.#tracer.causeOf(version.name, version.object) }));
    const causes = distinctCauses(found.flatMap(({ cause }) => cause ?? []));
    const unknown = found.filter(({ cause }) => cause === undefined).map(({ version }) => version);
    const current = causes.length > 0 ? causes : last;
    if (current.length + unknown.length === 0) this.#known.delete(key);
    else this.#known.set(key, { versions: unknown, causes: current });
    const slash = key.indexOf('/');
    return this.#tracer.work(`reconcile ${this.#controller}`, current, {
      'fairway.controller': this.#controller,
      'k8s.namespace.name': slash < 0 ? undefined : key.slice(0, slash),
      'fairway.object.name': key.slice(slash + 1),
    });
  }
}

/** Newest first, one for each span. */
function distinctCauses(causes: readonly Cause[]): readonly Cause[] {
  return [...new Map(causes.toReversed().map((cause) => [cause.traceparent, cause])).values()];
}
