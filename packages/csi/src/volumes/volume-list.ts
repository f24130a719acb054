import { storageOffer } from '@fairway/cloud-provider/volumes/storage-offer';
import { pageOf } from '../calls/listing.ts';
import type { PageRequest } from '../protocol/messages.ts';
import type { Storage } from '../storage.ts';
import { csiVolume, publishedNodes } from './volume-view.ts';

/**
 * The cluster's volumes and unmarked ones, with the servers to which they are attached; external-attacher compares
 * these with its own records.
 */
export async function listVolumes({ cloud, clusterUid, work }: Storage, request: PageRequest): Promise<object> {
  const { volumes } = cloud.client.blockStorage;
  const { items, next_token } = await pageOf(request, clusterUid, (page) =>
    volumes.list({}, { ...page, signal: work }),
  );
  const zones = await storageOffer(cloud, work);
  const entries = items.map((volume) => ({
    volume: csiVolume(volume, zones),
    status: { published_node_ids: publishedNodes(volume) },
  }));
  return { entries, next_token };
}
