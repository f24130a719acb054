import { isCinderId } from '@fairway/cloud-provider/volumes/driver';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import { storageOwner } from '@fairway/tenancy/cloud/ownership';
import { status } from '@grpc/grpc-js';
import type { PageRequest, StringMap } from '../protocol/messages.ts';
import { CallError, invalidArgument } from './call-error.ts';

/** A response with this many volumes is far smaller than the 4 MiB that clients accept. */
const MAX_ENTRIES = 1_000;

interface ListedObject {
  readonly id: string;
  readonly metadata: StringMap;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly next_token: string;
}

/**
 * One page of the objects that a cluster may see: its own objects, and unmarked ones. A token is the ID of the previous
 * page's last entry. Rejects with ABORTED if the token is invalid or its entry was deleted, as the spec requires.
 */
export async function pageOf<T extends ListedObject>(
  { max_entries: maxEntries, starting_token: token }: PageRequest,
  clusterUid: string,
  list: (page: { readonly marker: string | undefined; readonly pageSize: number }) => AsyncIterable<T>,
): Promise<Page<T>> {
  if (maxEntries < 0) throw invalidArgument('max_entries is negative');
  if (token !== '' && !isCinderId(token)) throw invalidToken(token);
  const limit = maxEntries === 0 ? MAX_ENTRIES : Math.min(maxEntries, MAX_ENTRIES);
  const items: T[] = [];
  try {
    // One additional item shows whether there is a next page.
    for await (const item of list({
      marker: token === '' ? undefined : token,
      pageSize: Math.min(limit + 1, MAX_ENTRIES),
    })) {
      if (!isVisible(item, clusterUid)) continue;
      if (items.length === limit) return { items, next_token: items.at(-1)?.id ?? '' };
      items.push(item);
    }
  } catch (error) {
    if (token !== '' && (isOpenStackError(error, 'notFound') || isOpenStackError(error, 'badRequest')))
      throw invalidToken(token);
    throw error;
  }
  return { items, next_token: '' };
}

function isVisible(item: ListedObject, clusterUid: string): boolean {
  const owner = storageOwner(item);
  return owner === undefined || owner.clusterUid === clusterUid;
}

function invalidToken(token: string): CallError {
  return new CallError(
    status.ABORTED,
    `starting_token "${token.slice(0, 64)}" is not a token of a list that can be continued: restart the listing`,
  );
}
