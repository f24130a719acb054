import { CATALOGUE_INTERVAL_MS, type CachedKind, STABLE_INTERVAL_MS } from '../cache/cached-kind.ts';
import type { ClientService } from '../service.ts';
import type { ServiceApi } from '../service-api.ts';
import type { Share, ShareType, ShareZone } from '../types/shared-file-system.ts';
import { SHARED_FILE_SYSTEM_MICROVERSION, SharedFileSystem } from './shared-file-system.ts';
import type { ShareFilter } from './shares.ts';

const shares: CachedKind<SharedFileSystem, Share, ShareFilter> = {
  slowMs: STABLE_INTERVAL_MS,
  list: (manila, filter, call) => manila.shares.list(filter, call),
};
const shareTypes: CachedKind<SharedFileSystem, ShareType> = {
  slowMs: CATALOGUE_INTERVAL_MS,
  async *list(manila, _, call) {
    yield* await manila.shareTypes(call);
  },
};
const shareZones: CachedKind<SharedFileSystem, ShareZone> = {
  slowMs: CATALOGUE_INTERVAL_MS,
  async *list(manila, _, call) {
    yield* await manila.availabilityZones(call);
  },
};

export const sharedFileSystemService = {
  type: 'shared-file-system',
  project: 'Manila',
  aliases: ['sharev2', 'share'],
  majorVersion: /^v2$/,
  // Manila reads only this header.
  microversions: {
    name: 'shared-file-system',
    oldHeader: 'x-openstack-manila-api-version',
    wanted: SHARED_FILE_SYSTEM_MICROVERSION,
  },
  clientName: 'sharedFileSystem',
  client: (api: ServiceApi) => new SharedFileSystem(api),
  cached: { shares, shareTypes, shareZones },
} as const satisfies ClientService;
