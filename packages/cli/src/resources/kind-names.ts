/** Kinds that have verbs, by their names on the command line. */
export type KindName = 'cluster' | 'nodepool' | 'machine';
/** Kinds that are read-only. */
export type ReadableKindName = KindName | 'cloudcredential' | 'plan' | 'kubernetesrelease';
