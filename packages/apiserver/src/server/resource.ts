import type { Transport } from '@fairway/kube/client/transport';
import type { FieldError } from '@fairway/kube/object/field-error';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import type { Access } from '../auth/access.ts';
import type { UserInfo } from '../auth/user.ts';
import type { Converter } from '../crd/converter.ts';
import type { Schema } from '../schema/schema.ts';

/** A column of `kubectl get`; `jsonPath` as in CustomResourceDefinitions (`.spec.replicas`). */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** Columns with priority 0 are always shown, other columns with `-o wide`. */
  readonly priority?: number;
  /** A path, or a function for computed values (kinds whose columns kube-apiserver computes in Go). */
  readonly value: string | ((object: KubeObject, nowMs: number) => string | number | boolean | undefined);
}

/** Paths of the scale subresource, as in CustomResourceDefinitions. */
export interface ScaleDefinition {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** The request's context, for hooks. */
export interface RequestContext {
  readonly user: UserInfo;
  readonly nowMs: number;
  readonly dryRun: boolean;
  /** The access of the server that executes the request, if it has one (`ApiServerOptions.access`). */
  readonly access?: Access | undefined;
}

/**
 * Behaviour of a kind beyond its schema, in the order of a write: `default` (create and update, after decoding),
 * `prepareForCreate`/`prepareForUpdate` (reset fields that clients may not set; status is already separated), then
 * `validate`. None has side effects, except that they may change objects in place.
 */
export interface ResourceStrategy {
  default?(object: KubeObject): void;
  prepareForCreate?(object: KubeObject, context: RequestContext): void;
  prepareForUpdate?(object: KubeObject, old: KubeObject, context: RequestContext): void;
  /** The same hooks for the status subresource. */
  prepareForStatusUpdate?(object: KubeObject, old: KubeObject, context: RequestContext): void;
  /** `old` is undefined on create. */
  validate?(object: KubeObject, old: KubeObject | undefined): FieldError[];
  validateStatus?(object: KubeObject, old: KubeObject): FieldError[];
  warnings?(object: KubeObject): string[];
  /** Validates a name. By default names are DNS subdomains (object/names.ts contains the usual rules). */
  nameErrors?(name: string): string[];
  /**
   * For kinds with graceful deletion (pods): the grace period of a deleted object, given the requested one. 0 removes
   * the object immediately. Without this hook every deletion is immediate.
   */
  gracePeriodSeconds?(object: KubeObject, requested: number | undefined): number;
  /**
   * Set if deletions orphan dependents by default, as in upstream's oldest kinds: the warning to send, or '' for no
   * warning.
   */
  readonly orphansDependents?: string;
  /**
   * Whether updates without resourceVersion are unconditional, as in most built-in kinds. True unless set to false, or
   * for `custom` kinds.
   */
  readonly allowUnconditionalUpdate?: boolean;
  /**
   * Whether the status subresource also writes labels and annotations, as in nearly all built-in kinds; false by
   * default.
   */
  readonly statusWritesMetadata?: boolean;
}

export interface SubresourceRequest {
  readonly user: UserInfo;
  readonly namespace: string;
  readonly name: string;
  readonly dryRun: boolean;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The decoded body of a create or update; undefined for a get. */
  readonly body: KubeObject | undefined;
  readonly nowMs: number;
  /** The access of the server that executes the request, if it has one (`ApiServerOptions.access`). */
  readonly access?: Access | undefined;
  /**
   * Sends requests in this process with full permissions (`system:masters`), for writes of the subresource to other
   * objects.
   */
  loopback(): Transport;
  /** Sends a warning to the client, in the header `Warning`. */
  warn(text: string): void;
  /** The stored object. Shared: never change it. */
  readonly parent: KubeObject;
  /**
   * Replaces `parent` with `object` and returns the stored result. The kind's strategy does not run: the subresource
   * itself is responsible for validity. A dry run stores nothing. Rejects with a Conflict on a concurrent write, or if
   * the resourceVersion of `object` differs from the stored one.
   */
  replace(object: KubeObject): Promise<KubeObject>;
}

/** A subresource with its own behaviour: `pods/binding`, `pods/eviction`, `serviceaccounts/token`, `clusters/kubeconfig`. */
export interface CustomSubresource {
  /** Kind of the body, for discovery and decoding. */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly schema?: Schema;
  /**
   * For a subresource that opens a connection (`pods/exec`): the options of the connection as an object, for admission.
   */
  readonly connect?: (query: URLSearchParams) => KubeObject;
  /**
   * Handlers by verb. The response is JSON, with 201 for create and 200 otherwise. A subresource that returns the whole
   * object (it has `get` and `update`, and the kind of its object) can be patched too: `update` then gets the patched
   * object.
   */
  readonly create?: (request: SubresourceRequest) => Promise<KubeObject>;
  readonly get?: (request: SubresourceRequest) => Promise<object>;
  readonly update?: (request: SubresourceRequest) => Promise<KubeObject>;
  /** Whether changes through the subresource increment `metadata.generation`; true by default. */
  readonly hasGeneration?: boolean;
}

/** A kind that the embedded API server serves. CustomResourceDefinitions are turned into these too. */
export interface ResourceDefinition extends ResourceType {
  readonly listKind?: string;
  /** A custom resource, to which stricter rules apply: no strategic merge patch, no update without resourceVersion. */
  readonly custom?: boolean;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Structural schema of the whole object; `metadata` may be omitted. */
  readonly schema: Schema;
  readonly hasStatus?: boolean;
  readonly scale?: ScaleDefinition;
  readonly subresources?: Readonly<Record<string, CustomSubresource>>;
  readonly columns?: readonly PrinterColumn[];
  /** The order of rows, if they are not sorted by name. */
  readonly rowOrder?: (a: KubeObject, b: KubeObject) => number;
  /**
   * Field selectors in addition to metadata.name and metadata.namespace: selector name → path in the object, or
   * several paths, of which the first one that is set is used.
   */
  readonly selectableFields?: Readonly<Record<string, string | readonly string[]>>;
  /**
   * The value of an unset field in such a field selector, if it is not '': Go's zero value for numbers and booleans.
   */
  readonly unsetFields?: Readonly<Record<string, string>>;
  readonly strategy?: ResourceStrategy;
  /** Verbs served; all of them by default. Only `create` for a review kind such as SubjectAccessReview. */
  readonly verbs?: readonly string[];
  /**
   * Handler of a kind that is not stored (SubjectAccessReview, TokenReview). It gets the decoded object and returns the
   * response.
   */
  readonly review?: (
    object: KubeObject,
    context: RequestContext & { readonly namespace: string },
  ) => Promise<KubeObject>;
  /** Handler of a computed list that is not read from the store; its only verb is `list`. */
  readonly listed?: (request: {
    readonly namespace: string;
    readonly user: UserInfo;
    readonly query: URLSearchParams;
    readonly headers: Readonly<Record<string, string | undefined>>;
    readonly nowMs: number;
    /** The access of the server that executes the request, if it has one (`ApiServerOptions.access`). */
    readonly access?: Access | undefined;
  }) => Promise<object>;
  /**
   * Whether `metadata.generation` counts changes to the spec. True unless the kind has no spec (ConfigMap, Secret).
   */
  readonly hasGeneration?: boolean;
  /**
   * Schemas by stored apiVersion whose defaults are applied on reads, since the schemas of a CustomResourceDefinition
   * may change. Objects of other kinds are stored with their defaults.
   */
  readonly storedDefaults?: ReadonlyMap<string, Schema>;
  /**
   * Names the storage, if these objects are stored as another served version (events.k8s.io/v1 Event is stored as v1
   * Event).
   */
  readonly storedAs?: {
    readonly group: string;
    readonly plural: string;
    readonly toStored: (object: KubeObject) => KubeObject;
    readonly fromStored: (object: KubeObject) => KubeObject;
    /**
     * Converts with a webhook instead of `toStored` and `fromStored`. Readers of entries must await
     * `ServedResource.prepare` first.
     */
    readonly convert?: Converter;
    /** The stored apiVersion. */
    readonly apiVersion?: string;
  };
}
