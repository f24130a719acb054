import { type AttachmentStep, attachmentSteps } from '@fairway/cloud-provider/volume-attachments/attachment-plan';
import { isCinderId } from '@fairway/cloud-provider/volumes/driver';
import { ignoreNotFound } from '@fairway/openstack/http/openstack-error';
import type { Volume } from '@fairway/openstack/types/block-storage';
import type { Server } from '@fairway/openstack/types/server';
import { serverOwner } from '@fairway/tenancy/cloud/ownership';
import { status } from '@grpc/grpc-js';
import { CallError, failedPrecondition, invalidArgument, notFound } from '../calls/call-error.ts';
import type { CallTime } from '../calls/call-time.ts';
import { subject } from '../calls/operations.ts';
import type { PublishRequest, StringMap, UnpublishRequest } from '../protocol/messages.ts';
import { foreignObjectError, type Storage } from '../storage.ts';
import { incompleteReason, unsupportedReason } from './capabilities.ts';
import { type FoundVolume, findVolume, refreshVolume, requireVolume } from './found-volume.ts';

/** Read by cinder-csi-plugin's node service. */
const DEVICE_PATH = 'DevicePath';

/** Attaches a volume to a server; resolves when it is attached, with the data that the node requires. */
export function publishVolume(storage: Storage, request: PublishRequest, time: CallTime): Promise<StringMap> {
  const { volume_id: id, node_id: node, volume_capability: capability } = request;
  if (id === '') throw invalidArgument('volume_id is missing');
  if (node === '') throw invalidArgument('node_id is missing');
  const incomplete = incompleteReason(capability);
  if (capability === null || incomplete !== undefined) throw invalidArgument(`volume_capability: ${incomplete}`);
  if (request.readonly) {
    throw invalidArgument('readonly is set, but Nova attaches volumes read-write: mount it read-only instead');
  }
  return storage.operations.run(subject.volume(id), 'another call', async () => {
    const found = await requireVolume(storage, id);
    const subjectText = `volume ${id} is`;
    const unsupported = unsupportedReason([capability], { isMultiattach: found.volume.multiattach, subjectText });
    if (unsupported !== undefined) throw failedPrecondition(`volume_capability: ${unsupported}`);
    const server = await findServer(storage, node);
    if (server === undefined) throw notFound(`node_id ${node} is not the ID of a server in the project`);
    return { [DEVICE_PATH]: (await attach(storage, found, server, time)) ?? '' };
  });
}

/** The server that a node claims to run on. A server with another cluster's marks is refused. */
async function findServer({ cloud, clusterUid, work }: Storage, id: string): Promise<Server | undefined> {
  if (!isCinderId(id)) return undefined;
  const server = await ignoreNotFound(cloud.client.compute.servers.get(id, { signal: work }));
  if (server === undefined || server.tenant_id !== (await cloud.client.session.projectId())) return undefined;
  const owner = serverOwner(server);
  if (owner !== undefined && owner.clusterUid !== clusterUid) {
    throw foreignObjectError(`server ${id} is a node of another cluster`);
  }
  return server;
}

async function attach(
  storage: Storage,
  found: FoundVolume,
  { id, name }: Server,
  time: CallTime,
): Promise<string | undefined> {
  const { cloud, work } = storage;
  let isRequested = false;
  const advance = async (volume: Volume | undefined): Promise<{ readonly device: string | undefined } | undefined> => {
    const step = stepFor(volume, { name, serverID: id, isBeingDeleted: false });
    if (step.kind === 'attached') return { device: step.device };
    if (step.kind === 'impossible') throw failedPrecondition(step.message);
    if (step.kind !== 'attach') return undefined;
    if (isRequested) {
      // While a volume is being attached to this server, its status does not show whether it is also attached to
      // other servers.
      if (volume?.status === 'in-use') return undefined;
      const message = `Nova failed to attach volume ${found.volume.id} to server ${id}: see the Nova log`;
      throw new CallError(status.INTERNAL, message);
    }
    const attempt = { kind: 'attach volumes', item: `${found.volume.id}/${id}` };
    await cloud.attempts.withBackoff(attempt, () =>
      cloud.client.compute.servers.attachVolume(id, found.volume.id, { signal: work }),
    );
    isRequested = true;
    return undefined;
  };
  const description = `volume ${found.volume.id} is being attached to server ${id}`;
  const attached = await advance(found.volume);
  const { device } =
    attached ??
    (await time.pollUntil('attach', description, async () =>
      advance(await refreshVolume(storage, found, time.signal)),
    ));
  return device;
}

/**
 * Detaches a volume from one server or all servers; resolves when it is detached. A deleted server's volume counts
 * as detached.
 */
export function unpublishVolume(storage: Storage, request: UnpublishRequest, time: CallTime): Promise<void> {
  const { volume_id: id, node_id: node } = request;
  if (id === '') throw invalidArgument('volume_id is missing');
  return storage.operations.run(subject.volume(id), 'another call', async () => {
    const found = await findVolume(storage, id);
    if (found === undefined) return;
    const holders = found.volume.attachments.flatMap(({ server_id: server }) => server ?? []);
    const servers = node === '' ? holders : [node];
    await Promise.all(servers.map((server) => detach(storage, found, server, time)));
  });
}

async function detach(storage: Storage, found: FoundVolume, serverID: string, time: CallTime): Promise<void> {
  const { cloud, work } = storage;
  const { servers } = cloud.client.compute;
  const advance = async (volume: Volume | undefined): Promise<true | undefined> => {
    const step = stepFor(volume, { name: serverID, serverID, isBeingDeleted: true });
    if (step.kind === 'detached') return true;
    if (step.kind !== 'detach') return undefined;
    const attempt = { kind: 'detach volumes', item: `${found.volume.id}/${serverID}` };
    const detaching = servers.detachVolume(serverID, found.volume.id, { signal: work }).then(() => true);
    const isRequested = await cloud.attempts.withBackoff(attempt, () => ignoreNotFound(detaching));
    // Nova has no record of the attachment: the server was deleted, or Cinder does not show the detachment yet.
    if (isRequested === undefined && (await ignoreNotFound(servers.get(serverID, { signal: work }))) === undefined)
      return true;
    return undefined;
  };
  if (await advance(found.volume)) return;
  const description = `volume ${found.volume.id} is being detached from server ${serverID}`;
  await time.pollUntil('detach', description, async () => advance(await refreshVolume(storage, found, time.signal)));
}

/** Decides the next step in the same way as for VolumeAttachments. */
function stepFor(
  volume: Volume | undefined,
  {
    name,
    serverID,
    isBeingDeleted,
  }: { readonly name: string; readonly serverID: string; readonly isBeingDeleted: boolean },
): AttachmentStep {
  const [step] = attachmentSteps(volume, [{ name, nodeName: name, serverID, isBeingDeleted }], () => undefined);
  return step as AttachmentStep;
}
