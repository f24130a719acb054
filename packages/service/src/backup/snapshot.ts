import { isDeepStrictEqual } from 'node:util';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { ApiError } from '@fairway/kube/object/api-error';
import { apiVersionOf, type KubeObject, type ResourceType } from '@fairway/kube/object/meta';
import { CommandError } from '../command-error.ts';
import { BACKED_UP_KINDS, kindName, PAUSABLE_KINDS } from './backed-up-kinds.ts';
import { type Listing, selectNamespaces, selectObjects } from './selection.ts';

/** The contents of the API at one moment. */
export interface Snapshot {
  /** In the order in which a restore creates them. */
  readonly objects: readonly KubeObject[];
  /** resourceVersion of each list, by kind and namespace. */
  readonly resourceVersions: Readonly<Record<string, string>>;
}

export interface SnapshotOptions {
  readonly signal: AbortSignal;
  /** Objects per request; 500 by default, as in kubectl. */
  readonly chunkSize?: number;
}

/** A cluster without changes needs two passes; each change between passes costs one more. */
const MAX_PASSES = 10;
const CHUNK_SIZE = 500;
/** Number of attempts at reading a list that outlasts its continue token. */
const MAX_LIST_ATTEMPTS = 5;

/**
 * Reads everything to back up at one point in time. No API lists several kinds at once, so all kinds are read
 * repeatedly until two consecutive reads are equal: that state existed from the end of the first read to the beginning
 * of the second. Rejects with a CommandError if the contents keep changing.
 */
export async function takeSnapshot(client: KubeClient, options: SnapshotOptions): Promise<Snapshot> {
  const isShared = !(await client.version()).gitVersion.includes('+fairway-');
  let previousPass = await readAll(client, options);
  for (let currentPass = 2; currentPass <= MAX_PASSES; currentPass++) {
    const current = await readAll(client, options);
    if (isDeepStrictEqual(previousPass.listing, current.listing)) {
      const { resourceVersions, listing } = current;
      const selected = selectObjects(listing, isShared);
      const objects = BACKED_UP_KINDS.flatMap((type) => selected.get(type) ?? []).map(withoutOwners);
      return { objects, resourceVersions };
    }
    previousPass = current;
  }
  throw new CommandError(`the objects changed during each of ${MAX_PASSES} attempts to read them`, {
    advice: 'pause the clusters for the backup with --pause, or try again when there is less activity',
  });
}

interface Reading {
  readonly listing: Listing;
  readonly resourceVersions: Readonly<Record<string, string>>;
}

async function readAll(client: KubeClient, options: SnapshotOptions): Promise<Reading> {
  const listing = new Map<ResourceType, readonly KubeObject[]>();
  const resourceVersions: Record<string, string> = {};
  const read = async (type: ResourceType, namespace?: string): Promise<readonly KubeObject[]> => {
    const list = await listAll(client, type, namespace, options);
    const where = namespace === undefined ? kindName(type) : `${kindName(type)} ${namespace}`;
    resourceVersions[where] = list.resourceVersion;
    return list.items;
  };
  for (const type of PAUSABLE_KINDS) listing.set(type, await read(type));
  const namespaces = await read(Namespaces);
  const chosen = selectNamespaces(listing, namespaces);
  listing.set(
    Namespaces,
    namespaces.filter(({ metadata }) => chosen.has(metadata.name ?? '')),
  );
  for (const type of BACKED_UP_KINDS) {
    if (listing.has(type)) continue;
    const lists = type.namespaced ? await Promise.all([...chosen].map((name) => read(type, name))) : [await read(type)];
    listing.set(type, lists.flat());
  }
  return { listing, resourceVersions };
}

/** A complete list, in chunks. If the continue token expires, the server returns 410 and the list restarts. */
async function listAll(
  client: KubeClient,
  type: ResourceType,
  namespace: string | undefined,
  { signal, chunkSize = CHUNK_SIZE }: SnapshotOptions,
): Promise<{ readonly items: readonly KubeObject[]; readonly resourceVersion: string }> {
  const resource = client.resource(type);
  const where = { limit: chunkSize, signal, ...(namespace !== undefined && { namespace }) };
  for (let attempt = 1; ; attempt++) {
    try {
      let list = await resource.list(where);
      const items = [...list.items];
      while (list.metadata.continue) {
        list = await resource.list({ ...where, continue: list.metadata.continue });
        items.push(...list.items);
      }
      const { resourceVersion = '' } = list.metadata;
      return { items: items.map((item) => typed(type, item)), resourceVersion };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 404) throw isNotServed(type, error);
      if (error.code !== 410 || attempt === MAX_LIST_ATTEMPTS) throw error;
    }
  }
}

function isNotServed(type: ResourceType, cause: ApiError): CommandError {
  return new CommandError(`the API does not serve ${kindName(type)}`, {
    advice:
      "use a kubeconfig of an administrator for Fairway's API server or the management cluster (--kubeconfig); a gateway serves only what tenants need",
    cause,
  });
}

/** Items in a list may omit apiVersion and kind. */
function typed(type: ResourceType, object: KubeObject): KubeObject {
  return { ...object, apiVersion: apiVersionOf(type), kind: type.kind };
}

/** managedFields matter only to the source, and make up half the size. */
function withoutOwners(object: KubeObject): KubeObject {
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  return { ...object, metadata };
}
