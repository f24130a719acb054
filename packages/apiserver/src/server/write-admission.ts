import { cloneJson, type JsonObject } from '@fairway/kube/object/json';
import type { KubeObject, ObjectMeta } from '@fairway/kube/object/meta';
import type { UserInfo } from '../auth/user.ts';
import { areValidEntries } from '../patch/manager.ts';
import type { AdmissionRequest, WriteInProgress } from './admission.ts';
import { checkPatched } from './body-bounds.ts';
import type { Core } from './core.ts';
import { checkNames, checkShape } from './decode.ts';
import type { ResourceRequest } from './request.ts';
import { requestTimeoutMs } from './request-timeout.ts';
import type { ResourceDefinition } from './resource.ts';
import type { ServedResource } from './served-resource.ts';

export interface AdmittedWrite {
  readonly operation: AdmissionRequest['operation'];
  readonly object?: KubeObject | undefined;
  readonly oldObject?: KubeObject | undefined;
  /** Processes an object that a webhook has replaced, like a client's object. */
  readonly conform?: () => void;
  /** Only present for deletes. */
  readonly deleteOptions?: JsonObject;
}

/** The view of a write for admission plugins. */
export class WriteAdmission implements AdmissionRequest, WriteInProgress {
  readonly user: UserInfo;
  readonly operation: AdmissionRequest['operation'];
  readonly resource: ResourceDefinition;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly dryRun: boolean;
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  readonly #core: Core;
  readonly #request: ResourceRequest;
  readonly #admitted: AdmittedWrite;

  constructor(core: Core, request: ResourceRequest, write: AdmittedWrite) {
    const { operation, object, oldObject } = write;
    this.user = request.user;
    this.operation = operation;
    this.resource = request.resource.definition;
    this.subresource = request.subresource;
    this.namespace = request.namespace;
    this.name = (object ?? oldObject)?.metadata?.name ?? request.name;
    this.dryRun = request.dryRun;
    this.object = object;
    this.oldObject = oldObject;
    this.#core = core;
    this.#request = request;
    this.#admitted = write;
  }

  get write(): WriteInProgress {
    return this;
  }

  get deadlineMs(): number {
    return this.#request.nowMs + requestTimeoutMs(this.#request.query);
  }

  options(): JsonObject {
    const { operation, deleteOptions } = this.#admitted;
    const apiVersion = 'meta.k8s.io/v1';
    const dryRun = this.dryRun && { dryRun: ['All'] };
    if (operation === 'DELETE') return { kind: 'DeleteOptions', apiVersion, ...deleteOptions, ...dryRun };
    const { query } = this.#request;
    const [fieldManager, fieldValidation] = [query.get('fieldManager'), query.get('fieldValidation')];
    return {
      kind: operation === 'UPDATE' ? 'UpdateOptions' : 'CreateOptions',
      apiVersion,
      ...dryRun,
      ...(fieldManager && { fieldManager }),
      ...(fieldValidation && { fieldValidation }),
    };
  }

  kindOf(apiVersion: string, kind: string): ResourceDefinition | undefined {
    return this.#core.registry.ofKind(apiVersion, kind)?.definition;
  }

  otherVersions(): readonly ServedResource[] {
    const { resource } = this.#request;
    return this.#core.registry
      .all()
      .filter(({ bucket }) => bucket === resource.bucket)
      .filter((other) => other !== resource);
  }

  replaceObject(replacement: KubeObject): void {
    const { object } = this;
    if (object === undefined) throw new Error('a request without an object has nothing to replace');
    checkPatched(replacement);
    const { apiVersion, kind, metadata: previous } = object;
    const shaped = checkShape(cloneJson(replacement));
    for (const field of Object.keys(object)) delete (object as KubeObject & Record<string, unknown>)[field];
    Object.assign(object, { apiVersion, kind }, shaped, { apiVersion, kind });
    keepServerFields(object.metadata, previous);
    if (this.#admitted.conform === undefined) return;
    checkNames(object, this.#request);
    this.#admitted.conform();
  }

  warn(text: string): void {
    this.#request.warn(text);
  }

  annotate(key: string, value: string): void {
    this.#request.annotate?.(key, value);
  }
}

const SERVER_FIELDS = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const satisfies readonly (keyof ObjectMeta)[];

function keepServerFields(metadata: ObjectMeta, previous: ObjectMeta): void {
  for (const field of SERVER_FIELDS) {
    if (previous[field] === undefined) delete metadata[field];
    else Object.assign(metadata, { [field]: previous[field] });
  }
  if (metadata.managedFields !== undefined && areValidEntries(metadata.managedFields)) return;
  if (previous.managedFields === undefined) delete metadata.managedFields;
  else metadata.managedFields = previous.managedFields;
}
