import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import type { Store } from '@fairway/apiserver/store/store';

/** A separate bucket, which the API server does not use. */
const BUCKET = 'runtime.fairway.dev';
const KEY = 'endpoint';

/** The port of a cluster's API server; undefined for a new cluster. */
export function recordedPort(store: Store): number | undefined {
  const entry = store.get(BUCKET, KEY);
  return entry && (JSON.parse(entry.text) as { port: number }).port;
}

/**
 * Stores the port in the cluster's own store, so that it survives a crash at any point. Call it only while no server
 * uses the store.
 */
export async function recordPort(store: Store, port: number): Promise<void> {
  const text = (revision: number) => JSON.stringify({ metadata: { resourceVersion: String(revision) }, port });
  const expected = store.get(BUCKET, KEY);
  await store.write({ bucket: BUCKET, key: KEY, expected, encode: (revision) => ({ text: text(revision) }) });
}

/** A port that is not in use. */
export async function findFreePort(host: string): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  return port;
}
