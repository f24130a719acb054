/** A manifest as a user types it, and what the API server answers. Nothing of it is stored. */
export interface Row {
  readonly name: string;
  /** Merged over the spec that is stored under `metadata.name`; else the object is created. */
  readonly isUpdate?: boolean;
  /** Without a name, the created object is called `new`. */
  readonly metadata?: { readonly name: string };
  /** `{office}` stands for the id of what the world calls so. */
  readonly spec: object;
  /** Fields that the answer has, with these values; names are paths from the root. */
  readonly has?: Readonly<Record<string, unknown>>;
  /** All warnings, word for word. */
  readonly warns?: readonly string[];
  /** Each cause as `field: words`, word for word; the object is accepted where this is left out. */
  readonly refused?: readonly string[];
  /** The words where a CRD's schema or CEL refuses it before Fairway sees it, if others. */
  readonly refusedByCrd?: readonly string[];
  /** The words of a real kube-apiserver, where those of the embedded server's CRDs differ. */
  readonly refusedByKubernetes?: readonly string[];
}

/** The kinds that people write. */
export type RowKind = 'Cluster' | 'NodePool' | 'Plan' | 'KubernetesRelease' | 'CloudCredential';
