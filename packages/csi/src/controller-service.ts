import { invalidArgument } from './calls/call-error.ts';
import type { CallTime } from './calls/call-time.ts';
import { CONTROLLER_CAPABILITIES, PLUGIN_CAPABILITIES, PROBE_RESPONSE, pluginInfo } from './identity.ts';
import type {
  CreateSnapshotRequest,
  CreateVolumeRequest,
  ExpandRequest,
  ListSnapshotsRequest,
  PageRequest,
  PublishRequest,
  StringMap,
  UnpublishRequest,
  ValidateRequest,
} from './protocol/messages.ts';
import { createSnapshotOnce } from './snapshots/create-snapshot.ts';
import { listSnapshots } from './snapshots/snapshot-list.ts';
import { removeSnapshot } from './snapshots/snapshot-removal.ts';
import type { Storage } from './storage.ts';
import { publishVolume, unpublishVolume } from './volumes/attachment.ts';
import { createVolumeOnce } from './volumes/create-volume.ts';
import { expandVolume } from './volumes/expansion.ts';
import { showVolume, validateVolume } from './volumes/volume-checks.ts';
import { listVolumes } from './volumes/volume-list.ts';
import { removeVolume } from './volumes/volume-removal.ts';

export type Handler = (request: never, time: CallTime) => object | Promise<object>;

export function identityHandlers(version: string): Readonly<Record<string, Handler>> {
  return {
    GetPluginInfo: () => pluginInfo(version),
    GetPluginCapabilities: () => PLUGIN_CAPABILITIES,
    Probe: () => PROBE_RESPONSE,
  };
}

export function controllerHandlers(storage: Storage): Readonly<Record<string, Handler>> {
  const handlers: Readonly<Record<string, Handler>> = {
    ControllerGetCapabilities: () => CONTROLLER_CAPABILITIES,
    CreateVolume: async (request: CreateVolumeRequest, time) => ({
      volume: await createVolumeOnce(storage, request, time),
    }),
    DeleteVolume: async ({ volume_id: id }: { readonly volume_id: string }, time) => {
      await removeVolume(storage, id, time);
      return {};
    },
    ControllerPublishVolume: async (request: PublishRequest, time) => ({
      publish_context: await publishVolume(storage, request, time),
    }),
    ControllerUnpublishVolume: async (request: UnpublishRequest, time) => {
      await unpublishVolume(storage, request, time);
      return {};
    },
    ValidateVolumeCapabilities: (request: ValidateRequest) => validateVolume(storage, request),
    ListVolumes: (request: PageRequest) => listVolumes(storage, request),
    ControllerGetVolume: (request: { readonly volume_id: string }) => showVolume(storage, request),
    ControllerExpandVolume: (request: ExpandRequest, time) => expandVolume(storage, request, time),
    CreateSnapshot: async (request: CreateSnapshotRequest, time) => ({
      snapshot: await createSnapshotOnce(storage, request, time),
    }),
    DeleteSnapshot: async ({ snapshot_id: id }: { readonly snapshot_id: string }, time) => {
      await removeSnapshot(storage, id, time);
      return {};
    },
    ListSnapshots: (request: ListSnapshotsRequest) => listSnapshots(storage, request),
  };
  return Object.fromEntries(Object.entries(handlers).map(([name, handler]) => [name, withoutSecrets(handler)]));
}

/** The only credential is the process's own. */
function withoutSecrets(handler: Handler): Handler {
  return (request: { readonly secrets?: StringMap }, time) => {
    if (Object.keys(request.secrets ?? {}).length > 0) {
      throw invalidArgument(
        'secrets are set, but Fairway uses the credential that it was started with: remove csi.storage.k8s.io/...-secret-name from the class',
      );
    }
    return handler(request as never, time);
  };
}
