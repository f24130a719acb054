import { createHash } from 'node:crypto';

/** What etcd sends for a database of this text: the text, then its SHA-256. */
export function snapshotBytes(text: string): Buffer {
  return Buffer.concat([Buffer.from(text), createHash('sha256').update(text).digest()]);
}

/** The same in pieces, as a stream brings them. */
export async function* snapshotStream(text: string, pieceBytes = 7): AsyncIterable<Uint8Array> {
  const bytes = snapshotBytes(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}
