/** A manifest as a user types it, and the API server's answer. It is never stored. */
export interface Row {
  readonly name: string;
  /** Merged over the spec that is stored under `metadata.name`; else the object is created. */
  readonly isUpdate?: boolean;
  /** Without a name, the created object is called `new`. */
  readonly metadata?: { readonly name: string };
  /** `{office}` stands for the ID of the resource with that name in the world. */
  readonly spec: object;
  /** Fields that the answer has, with these values; names are paths from the root. */
  readonly has?: Readonly<Record<string, unknown>>;
  /** All warnings, word for word. */
  readonly warns?: readonly string[];
  /** Each cause as `field: words`, word for word; if omitted, the object is accepted. */
  readonly refused?: readonly string[];
  /** The words if a CRD's schema or CEL rejects it before it reaches Fairway, if different. */
  readonly refusedByCrd?: readonly string[];
  /** The words of a real kube-apiserver, if different from those of the embedded server's CRDs. */
  readonly refusedByKubernetes?: readonly string[];
}

/** The kinds that people write. */
export type RowKind = 'Cluster' | 'NodePool' | 'Plan' | 'KubernetesRelease' | 'CloudCredential';
