/** A manifest as a user writes it, and the API server's response to a dry run of it. */
export interface Row {
  readonly name: string;
  /** Merged over the stored spec of `metadata.name`; otherwise, the object is created. */
  readonly isUpdate?: boolean;
  /** Without a name, the created object is called `new`. */
  readonly metadata?: { readonly name: string };
  /** `{office}` stands for the ID of the test object with that name. */
  readonly spec: object;
  /** Fields in the response with their values; names are paths from the root. */
  readonly has?: Readonly<Record<string, unknown>>;
  /** All warnings, verbatim. */
  readonly warnings?: readonly string[];
  /** Each cause as `field: message`, verbatim; if omitted, the object is accepted. */
  readonly refused?: readonly string[];
  /** The causes if a CRD's schema or CEL rejects it before it reaches Fairway, if different. */
  readonly refusedByCrd?: readonly string[];
  /** The causes from a real kube-apiserver, if different from those of the embedded server's CRDs. */
  readonly refusedByKubernetes?: readonly string[];
}

/** The kinds that users write. */
export type RowKind = 'Cluster' | 'NodePool' | 'Plan' | 'KubernetesRelease' | 'CloudCredential';
