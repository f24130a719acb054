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
  /** 0 is always shown; higher ones with `-o wide`. */
  readonly priority?: number;
  /** A path, or a function where the value is computed (kinds whose columns kube-apiserver computes in Go). */
  readonly value: string | ((object: KubeObject, nowMs: number) => string | number | boolean | undefined);
}

/** Paths of the scale subresource, as in CustomResourceDefinitions. */
export interface ScaleDefinition {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** What a hook knows of the request beside the objects. */
export interface RequestContext {
  readonly user: UserInfo;
  readonly nowMs: number;
  readonly dryRun: boolean;
  /** Of the server that carries out the request, where it was given one (`ApiServerOptions.access`). */
  readonly access?: Access | undefined;
}

/**
 * What a kind does beyond its schema, in the order of a write: `default` (create and update, after decoding),
 * `prepareForCreate`/`prepareForUpdate` (reset what clients may not set; status is already separated), then `validate`.
 * All are pure; objects may be changed in place.
 */
export interface ResourceStrategy {
  default?(object: KubeObject): void;
  prepareForCreate?(object: KubeObject, context: RequestContext): void;
  prepareForUpdate?(object: KubeObject, old: KubeObject, context: RequestContext): void;
  /** The same for the status subresource. */
  prepareForStatusUpdate?(object: KubeObject, old: KubeObject, context: RequestContext): void;
  /** `old` is undefined on create. */
  validate?(object: KubeObject, old: KubeObject | undefined): FieldError[];
  validateStatus?(object: KubeObject, old: KubeObject): FieldError[];
  warnings?(object: KubeObject): string[];
  /** Validates a name; a DNS subdomain unless the kind overrides it (object/names.ts has the usual rules). */
  nameErrors?(name: string): string[];
  /**
   * For kinds with graceful deletion (pods): the grace period of a deleted object, given what the request asked
   * for. 0 removes it immediately. Without this hook every deletion is immediate.
   */
  gracePeriodSeconds?(object: KubeObject, requested: number | undefined): number;
  /** A deletion that says nothing of dependents leaves them, as upstream's oldest kinds do it: what to warn of then, '' for nothing. */
  readonly orphansDependents?: string;
  /** An update without resourceVersion overwrites whatever is there, as most built-in kinds allow; on unless set to false, or `custom`. */
  readonly allowUnconditionalUpdate?: boolean;
  /** The status subresource writes labels and annotations too, as those of nearly all built-in kinds do; off unless set. */
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
  /** Of the server that carries out the request, where it was given one (`ApiServerOptions.access`). */
  readonly access?: Access | undefined;
  /** Requests in this process with all rights (`system:masters`), for what the subresource does to other objects. */
  loopback(): Transport;
  /** Sends a warning to the client, in the header `Warning`. */
  warn(text: string): void;
  /** What is stored under the name now. Shared: never change it. */
  readonly parent: KubeObject;
  /**
   * Stores `object` over `parent` and answers what is stored then. The kind's strategy does not run: the subresource itself answers
   * for what it writes. A dry run stores nothing. Rejects with a Conflict on a concurrent write, or when `object` names
   * another resourceVersion than the stored one.
   */
  replace(object: KubeObject): Promise<KubeObject>;
}

/** A subresource with a behaviour of its own: `pods/binding`, `pods/eviction`, `serviceaccounts/token`, `clusters/kubeconfig`. */
export interface CustomSubresource {
  /** Kind of the body, for discovery and decoding. */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly schema?: Schema;
  /** Of a subresource that opens a connection (`pods/exec`): its options as an object, for admission. */
  readonly connect?: (query: URLSearchParams) => KubeObject;
  /**
   * Handlers by verb; the answer is sent as JSON with 201 for create and 200 for the rest. A subresource that shows the whole object
   * (it has `get` and `update`, and the kind of its object) can be patched too: `update` gets the patched object.
   */
  readonly create?: (request: SubresourceRequest) => Promise<KubeObject>;
  readonly get?: (request: SubresourceRequest) => Promise<object>;
  readonly update?: (request: SubresourceRequest) => Promise<KubeObject>;
  /** Whether `metadata.generation` counts what it changes, as it does unless this is false. */
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
  /** Structural schema of the whole object; `metadata` may be left out, it is known. */
  readonly schema: Schema;
  readonly hasStatus?: boolean;
  readonly scale?: ScaleDefinition;
  readonly subresources?: Readonly<Record<string, CustomSubresource>>;
  readonly columns?: readonly PrinterColumn[];
  /** The order of rows where it is not that of names. */
  readonly rowOrder?: (a: KubeObject, b: KubeObject) => number;
  /** Field selectors beyond metadata.name and metadata.namespace: selector name → path in the object, or several, of which the first that is set counts. */
  readonly selectableFields?: Readonly<Record<string, string | readonly string[]>>;
  /** What such a selector sees where the field is not set, if not '': Go's zero of a number or a boolean. */
  readonly unsetFields?: Readonly<Record<string, string>>;
  readonly strategy?: ResourceStrategy;
  /** Verbs served; all of them by default. `create` alone makes a review kind such as SubjectAccessReview. */
  readonly verbs?: readonly string[];
  /** A kind that is answered, not stored (SubjectAccessReview, TokenReview): gets the decoded object, returns the answer. */
  readonly review?: (
    object: KubeObject,
    context: RequestContext & { readonly namespace: string },
  ) => Promise<KubeObject>;
  /** A list that is answered, not read from the store, in whatever form is asked for; its only verb is `list`. */
  readonly listed?: (request: {
    readonly namespace: string;
    readonly user: UserInfo;
    readonly query: URLSearchParams;
    readonly headers: Readonly<Record<string, string | undefined>>;
    readonly nowMs: number;
    /** Of the server that carries out the request, where it was given one (`ApiServerOptions.access`). */
    readonly access?: Access | undefined;
  }) => Promise<object>;
  /** Keeps `metadata.generation` counting spec changes; on unless the kind has no spec (ConfigMap, Secret). */
  readonly hasGeneration?: boolean;
  /**
   * By apiVersion of what is stored, the schemas whose defaults objects get when they are read, as those of a CustomResourceDefinition
   * may change. Other kinds lack none: their objects are stored as they are served.
   */
  readonly storedDefaults?: ReadonlyMap<string, Schema>;
  /** Another served version of the same stored objects names the storage here (events.k8s.io/v1 Event is stored as v1 Event). */
  readonly storedAs?: {
    readonly group: string;
    readonly plural: string;
    readonly toStored: (object: KubeObject) => KubeObject;
    readonly fromStored: (object: KubeObject) => KubeObject;
    /**
     * Converts in place of `toStored` and `fromStored` where it takes a webhook to do so. Whoever reads entries awaits
     * `ServedResource.prepare` first.
     */
    readonly convert?: Converter;
    /** That of what is stored. */
    readonly apiVersion?: string;
  };
}
