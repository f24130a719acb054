/** The subject of a queue key. */
type Subject =
  | { readonly kind: 'cluster' }
  /** Name of a VolumeSnapshotContent. */
  | { readonly kind: 'content'; readonly name: string }
  /** `namespace/name`. */
  | { readonly kind: 'snapshot'; readonly snapshotKey: string }
  /** `namespace/name` of a claim that is protected because a snapshot of it is being taken. */
  | { readonly kind: 'claim'; readonly claimKey: string };

/** Key for all remaining snapshots without an object in the cluster. */
export function clusterSubject(clusterUid: string): string {
  return clusterUid;
}

export function contentSubject(clusterUid: string, name: string): string {
  return `${clusterUid}/${name}`;
}

export function snapshotSubject(clusterUid: string, snapshotKey: string): string {
  return `${clusterUid}/${snapshotKey}`;
}

export function claimSubject(clusterUid: string, claimKey: string): string {
  return `${clusterUid}/${claimKey}/claim`;
}

/** Parses the subject of a key. */
export function readKey(key: string): { readonly clusterUid: string; readonly subject: Subject } {
  const [clusterUid = '', first, second, third] = key.split('/');
  if (first === undefined) return { clusterUid, subject: { kind: 'cluster' } };
  if (second === undefined) return { clusterUid, subject: { kind: 'content', name: first } };
  if (third === undefined) return { clusterUid, subject: { kind: 'snapshot', snapshotKey: `${first}/${second}` } };
  return { clusterUid, subject: { kind: 'claim', claimKey: `${first}/${second}` } };
}
