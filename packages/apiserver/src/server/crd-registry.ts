import { isApiError } from '@fairway/kube/object/api-error';
import type { Converter } from '../crd/converter.ts';
import { resourcesOfCrd } from '../crd/resources-of-crd.ts';
import { crdStatus, isEstablished } from '../crd/status.ts';
import type { CustomResourceDefinition } from '../crd/types.ts';
import { webhookConverter } from '../outbound/conversion-webhook.ts';
import { type Change, type Entry, StaleWriteError } from '../store/store.ts';
import type { Core } from './core.ts';
import { CRD_BUCKET, CRD_FINALIZER } from './crd-rules.ts';
import { removeObject } from './delete.ts';
import type { ResourceRequest } from './request.ts';
import type { ResourceDefinition } from './resource.ts';
import { canonicalText, ServedResource } from './served-resource.ts';

const SYSTEM_USER = { username: 'system:apiserver', groups: ['system:masters'] };

/**
 * Serves the resources of CustomResourceDefinitions as long as these are stored, and maintains their
 * status. A definition that is being deleted deletes its objects first.
 */
export class CrdRegistry {
  readonly #core: Core;
  readonly #served = new Map<string, readonly ResourceDefinition[]>();
  /** Definitions that wait until their objects are deleted, by those objects' bucket. */
  readonly #pendingDeletions = new Map<string, string>();
  #work: Promise<void> = Promise.resolve();

  constructor(core: Core) {
    this.#core = core;
    if (core.registry.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions') === undefined) return;
    for (const entry of core.store.list(CRD_BUCKET)) this.#follow(entry);
    core.observe((changes) => this.#onChanges(changes));
  }

  /** Resolves when pending work is done; for tests and graceful shutdown. */
  async idle(): Promise<void> {
    for (let work: Promise<void> | undefined; work !== this.#work; ) {
      work = this.#work;
      await work;
    }
  }

  #onChanges(changes: readonly Change[]): void {
    for (const { bucket, removed, entry } of changes) {
      if (bucket === CRD_BUCKET) {
        if (removed) this.#forget(entry);
        else this.#follow(entry);
      } else if (removed) {
        const crd = this.#pendingDeletions.get(bucket);
        if (crd !== undefined) this.#enqueue(crd);
      }
    }
  }

  /** Serves the definition immediately, and writes its status later. */
  #follow(entry: Entry): void {
    const crd = entry.copy() as CustomResourceDefinition;
    const status = crdStatus(crd, this.#all(), this.#core.clock.now());
    const accepted: CustomResourceDefinition = { ...crd, status };
    this.#serve(
      entry.key,
      isEstablished(accepted)
        ? resourcesOfCrd(accepted, this.#converterOf(crd)).map((it) => withoutCreateVerb(it, crd))
        : [],
    );
    if (status !== crd.status || isTerminating(crd)) this.#enqueue(entry.key);
  }

  #converterOf({ spec }: CustomResourceDefinition): Converter | undefined {
    const { strategy, webhook } = spec.conversion ?? {};
    const { webhookCaller } = this.#core;
    if (strategy !== 'Webhook' || webhook?.clientConfig === undefined || webhookCaller === undefined) return undefined;
    return webhookConverter(webhookCaller, webhook.clientConfig);
  }

  #forget(entry: Entry): void {
    this.#serve(entry.key, []);
    this.#pendingDeletions.delete(bucketOfCrd(entry.object() as CustomResourceDefinition));
    // Its names may now be available to another definition.
    for (const other of this.#core.store.list(CRD_BUCKET)) this.#follow(other);
  }

  #serve(key: string, definitions: readonly ResourceDefinition[]): void {
    const previous = this.#served.get(key) ?? [];
    if (definitions.length > 0) this.#served.set(key, definitions);
    else this.#served.delete(key);
    const [first] = [...definitions, ...previous];
    if (first === undefined) return;
    this.#core.registry.replace(first.group, first.plural, definitions);
    if (definitions.length === 0) this.#core.watchers.finish(ServedResource.of(first).bucket);
  }

  #all(): CustomResourceDefinition[] {
    return this.#core.store.list(CRD_BUCKET).map((entry) => entry.object() as CustomResourceDefinition);
  }

  #enqueue(key: string): void {
    this.#work = this.#work.then(() => this.#reconcile(key));
  }

  async #reconcile(key: string): Promise<void> {
    const entry = this.#core.store.get(CRD_BUCKET, key);
    if (entry === undefined) return;
    const crd = entry.copy() as CustomResourceDefinition;
    try {
      if (isTerminating(crd)) await this.#empty(entry, crd);
      else await this.#writeStatus(entry, crd);
    } catch (error) {
      // Lost a race: the other writer's change triggers this again.
      if (!(error instanceof StaleWriteError))
        this.#core.log.error({ err: error, crd: key }, 'definition not reconciled');
    }
  }

  async #writeStatus(entry: Entry, crd: CustomResourceDefinition): Promise<void> {
    const status = crdStatus(crd, this.#all(), this.#core.clock.now());
    if (status !== crd.status) await this.#write(entry, { ...crd, status });
  }

  async #empty(entry: Entry, crd: CustomResourceDefinition): Promise<void> {
    const bucket = bucketOfCrd(crd);
    this.#pendingDeletions.set(bucket, entry.key);
    // Deletes the objects in the version that needs no conversion, if it is served.
    const served = this.#served.get(entry.key) ?? [];
    const definition = served.find(({ storedAs }) => storedAs === undefined) ?? served[0];
    if (definition !== undefined) {
      for (const { key } of this.#core.store.list(bucket)) await this.#removeInstance(definition, key);
    }
    if (this.#core.store.count(bucket) > 0) return;
    const finalizers = crd.metadata.finalizers?.filter((finalizer) => finalizer !== CRD_FINALIZER) ?? [];
    const { finalizers: _, ...metadata } = crd.metadata;
    await this.#write(
      entry,
      { ...crd, metadata: { ...metadata, ...(finalizers.length > 0 && { finalizers }) } },
      finalizers.length === 0,
    );
  }

  async #removeInstance(definition: ResourceDefinition, key: string): Promise<void> {
    const slash = key.indexOf('/');
    const request: ResourceRequest = {
      resource: ServedResource.of(definition),
      verb: 'delete',
      subresource: '',
      namespace: key.slice(0, Math.max(slash, 0)),
      name: key.slice(slash + 1),
      user: SYSTEM_USER,
      query: new URLSearchParams(),
      headers: {},
      body: '',
      dryRun: false,
      nowMs: this.#core.clock.now(),
      now: () => this.#core.clock.now(),
      warn() {},
    };
    try {
      await removeObject(this.#core, request, {});
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
  }

  async #write(expected: Entry, object: CustomResourceDefinition, remove = false): Promise<void> {
    const encode = (revision: number) => {
      object.metadata.resourceVersion = String(revision);
      return { text: canonicalText(object), object };
    };
    await this.#core.store.write({ bucket: CRD_BUCKET, key: expected.key, expected, remove, encode });
  }
}

function isTerminating({ metadata }: CustomResourceDefinition): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(CRD_FINALIZER) === true;
}

/** While a definition is terminating, no objects of its kind may be created. */
function withoutCreateVerb(definition: ResourceDefinition, { metadata }: CustomResourceDefinition): ResourceDefinition {
  if (metadata.deletionTimestamp === undefined) return definition;
  return { ...definition, verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] };
}

function bucketOfCrd({ spec }: CustomResourceDefinition): string {
  return `${spec.names.plural}.${spec.group}`;
}
