import { createHash } from 'node:crypto';

/** An etcd snapshot of a database with this text, followed by its SHA-256. */
export function snapshotBytes(text: string): Buffer {
  return Buffer.concat([Buffer.from(text), createHash('sha256').update(text).digest()]);
}

/** The same snapshot in chunks, as in a stream. */
export async function* snapshotStream(text: string, pieceBytes = 7): AsyncIterable<Uint8Array> {
  const bytes = snapshotBytes(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}
