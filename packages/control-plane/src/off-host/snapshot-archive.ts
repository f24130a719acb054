import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { takenAtMsOf } from '../process/snapshots/snapshot-name.ts';
import type { SnapshotInfo } from '../runtime.ts';
import type { ObjectStore } from './object-store.ts';
import { masterKey, saltOf, seal, unseal } from './sealing.ts';

/** Bytes of a database per object: how much is held in memory at a time, and resent after an interruption. */
const PART_BYTES = 8 * 2 ** 20;
const MAX_MANIFEST_BYTES = 16 * 2 ** 20;
const MANIFEST = 'manifest';
const CLUSTERS_PREFIX = 'clusters/';

const outer = z.object({
  format: z.literal('fairway-snapshot'),
  version: z.literal(1),
  salt: z.base64(),
  body: z.base64(),
});

/** Contents of a snapshot; encrypted, because the record contains the encryption key of the cluster's Secrets. */
const inner = z.object({
  /** The cluster's record, without which the database is useless. */
  record: z.string(),
  parts: z.array(z.object({ key: z.string(), sha256: z.hex() })),
  sizeBytes: z.int().min(0),
});

/** A snapshot in the store; its size is that of its encrypted parts. */
export interface ArchivedSnapshot extends SnapshotInfo {
  readonly clusterUid: string;
}

/**
 * Clusters' snapshots in an object store: each has a folder of encrypted parts, and a manifest that is written last. A
 * snapshot with a manifest is complete; parts without a manifest belong to an upload in progress or to an interrupted
 * one. Reading requires only the store and the passphrase.
 */
export class SnapshotArchive {
  readonly #store: ObjectStore;
  readonly #passphrase: string;
  readonly #masterKeys = new Map<string, Promise<Buffer>>();

  readonly #deriveKey: typeof masterKey;
  readonly #partBytes: number;

  /** `stretch` derives a key from the passphrase; slow by default. */
  constructor(store: ObjectStore, passphrase: string, { stretch = masterKey, partBytes = PART_BYTES } = {}) {
    this.#deriveKey = stretch;
    this.#partBytes = partBytes;
    this.#store = store;
    this.#passphrase = passphrase;
  }

  get description(): string {
    return this.#store.description;
  }

  /** Newest first; for one cluster or for all clusters. */
  async list(clusterUid?: string): Promise<readonly ArchivedSnapshot[]> {
    const objects = await this.#store.list(
      clusterUid === undefined ? CLUSTERS_PREFIX : `${CLUSTERS_PREFIX}${clusterUid}/`,
    );
    const folders = Map.groupBy(objects, ({ key }) => key.split('/').slice(0, -1).join('/'));
    return [...folders]
      .flatMap(([folder, files]): ArchivedSnapshot[] => {
        const [uid = '', name = ''] = folder.slice(CLUSTERS_PREFIX.length).split('/');
        const takenAtMs = takenAtMsOf(name);
        const parts = files.filter(({ key }) => key !== `${folder}/${MANIFEST}`);
        if (parts.length === files.length || takenAtMs === undefined) return [];
        return [{ clusterUid: uid, name, takenAtMs, sizeBytes: parts.reduce((sum, part) => sum + part.sizeBytes, 0) }];
      })
      .sort((a, b) => b.takenAtMs - a.takenAtMs);
  }

  /** Stores a snapshot with its cluster's record. Sends only the parts that an interrupted upload has not sent yet. */
  async upload(clusterUid: string, name: string, file: string, record: string, mayAct: () => boolean): Promise<void> {
    const folder = folderOf(clusterUid, name);
    const salt = saltOf(this.#store.id);
    const master = await this.#masterKey(salt);
    const uploadedSizes = new Map((await this.#store.list(`${folder}/`)).map(({ key, sizeBytes }) => [key, sizeBytes]));
    const parts: z.infer<typeof inner>['parts'] = [];
    let sizeBytes = 0;
    for await (const chunk of createReadStream(file, { highWaterMark: this.#partBytes })) {
      if (!mayAct()) throw new Error('another process manages this control plane');
      const content = chunk as Buffer;
      const sealed = await seal(master, `${folder}/${parts.length}`, content);
      const sha256 = createHash('sha256').update(sealed).digest('hex');
      // The name is derived from the content: an object with this name and length has this content.
      const key = `${folder}/part-${String(parts.length).padStart(5, '0')}-${sha256.slice(0, 32)}`;
      if (uploadedSizes.get(key) !== sealed.length) await this.#store.put(key, sealed);
      parts.push({ key, sha256 });
      sizeBytes += content.length;
    }
    const body = await seal(master, `${folder}/${MANIFEST}`, Buffer.from(JSON.stringify({ record, parts, sizeBytes })));
    const manifest: z.infer<typeof outer> = {
      format: 'fairway-snapshot',
      version: 1,
      salt: salt.toString('base64'),
      body: body.toString('base64'),
    };
    await this.#store.put(`${folder}/${MANIFEST}`, Buffer.from(JSON.stringify(manifest)));
  }

  /** The cluster's record, without which the database is useless. */
  async open(
    clusterUid: string,
    name: string,
  ): Promise<{ readonly record: string; readonly chunks: AsyncIterable<Buffer> }> {
    const folder = folderOf(clusterUid, name);
    const text = (await this.#store.get(`${folder}/${MANIFEST}`)).toString('utf8');
    const { salt, body } = outer.parse(JSON.parse(text));
    const master = await this.#masterKey(Buffer.from(salt, 'base64'));
    const opened = await unseal(master, `${folder}/${MANIFEST}`, Buffer.from(body, 'base64'), MAX_MANIFEST_BYTES);
    const { record, parts } = inner.parse(JSON.parse(opened.toString('utf8')));
    return { record, chunks: this.#chunks(folder, master, parts) };
  }

  /** Deletes a snapshot. Its manifest is deleted first: without it, the parts are no longer a snapshot. */
  async remove(clusterUid: string, name: string): Promise<void> {
    const folder = folderOf(clusterUid, name);
    await this.#store.remove(`${folder}/${MANIFEST}`);
    for (const { key } of await this.#store.list(`${folder}/`)) await this.#store.remove(key);
  }

  /** Deletes parts of abandoned uploads of one cluster: those without a manifest and not in `current`. */
  async removeAbandonedUploads(clusterUid: string, current: readonly SnapshotInfo[]): Promise<void> {
    const kept = new Set((await this.list(clusterUid)).map(({ name }) => name));
    for (const { name } of current) kept.add(name);
    for (const { key } of await this.#store.list(`${CLUSTERS_PREFIX}${clusterUid}/`)) {
      const [, name = ''] = key.slice(CLUSTERS_PREFIX.length).split('/');
      if (takenAtMsOf(name) !== undefined && !kept.has(name)) await this.#store.remove(key);
    }
  }

  /** Deletes all data of a cluster. */
  async removeAll(clusterUid: string): Promise<void> {
    for (const { name } of await this.list(clusterUid)) await this.remove(clusterUid, name);
    for (const { key } of await this.#store.list(`${CLUSTERS_PREFIX}${clusterUid}/`)) await this.#store.remove(key);
  }

  async *#chunks(folder: string, master: Buffer, parts: z.infer<typeof inner>['parts']): AsyncIterable<Buffer> {
    for (const [index, { key, sha256 }] of parts.entries()) {
      const sealed = await this.#store.get(key);
      if (createHash('sha256').update(sealed).digest('hex') !== sha256) throw new Error(`${key} is damaged`);
      yield await unseal(master, `${folder}/${index}`, sealed, PART_BYTES);
    }
  }

  /** Salts come from manifests: a key is derived once per salt. */
  #masterKey(salt: Buffer): Promise<Buffer> {
    const id = salt.toString('base64');
    const known = this.#masterKeys.get(id);
    if (known) return known;
    const derivedKey = this.#deriveKey(this.#passphrase, salt);
    this.#masterKeys.set(id, derivedKey);
    return derivedKey;
  }
}

function folderOf(clusterUid: string, name: string): string {
  return `${CLUSTERS_PREFIX}${clusterUid}/${name}`;
}
