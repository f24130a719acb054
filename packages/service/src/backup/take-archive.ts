import { clusters } from '@fairway/api/kinds/cluster';
import { isPaused } from '@fairway/api/pause';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Archive } from './archive.ts';
import { backedUpKind } from './backed-up-kinds.ts';
import { takeSnapshot } from './snapshot.ts';

/** Reads everything to back up from the API at `server`, at one point in time. Rejects as `takeSnapshot` does. */
export async function takeArchive(client: KubeClient, server: string, signal: AbortSignal): Promise<Archive> {
  const { objects, resourceVersions } = await takeSnapshot(client, { signal });
  const paused = objects.filter((object) => backedUpKind(object) === clusters).every((cluster) => isPaused(cluster));
  return { contents: { server, paused, resourceVersions }, objects };
}
