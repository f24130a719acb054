/** The subject of a queue key. */
type Subject =
  | { readonly kind: 'cluster' }
  /** `namespace/name`. */
  | { readonly kind: 'claim'; readonly claimKey: string }
  | { readonly kind: 'volume'; readonly name: string };

/** Key for all remaining volumes without an object in the cluster. */
export function clusterSubject(clusterUid: string): string {
  return clusterUid;
}

export function claimSubject(clusterUid: string, claimKey: string): string {
  return `${clusterUid}/${claimKey}`;
}

export function volumeSubject(clusterUid: string, name: string): string {
  return `${clusterUid}/${name}`;
}

/** Parses the subject of a key. */
export function readKey(key: string): { readonly clusterUid: string; readonly subject: Subject } {
  const [clusterUid = '', first, second] = key.split('/');
  if (first === undefined) return { clusterUid, subject: { kind: 'cluster' } };
  if (second === undefined) return { clusterUid, subject: { kind: 'volume', name: first } };
  return { clusterUid, subject: { kind: 'claim', claimKey: `${first}/${second}` } };
}
