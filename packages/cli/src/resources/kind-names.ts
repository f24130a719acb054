/** Kinds that the command has verbs for, as its words name them. */
export type KindName = 'cluster' | 'nodepool' | 'machine';
/** Kinds that it shows. */
export type ShownKindName = KindName | 'cloudcredential';
