/** Kinds that the command has verbs for, as its words name them. */
export type KindName = 'cluster' | 'nodepool' | 'machine';
