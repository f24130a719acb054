import { Volume } from '@fairway/openstack/types/block-storage';
import { expect, test } from 'vitest';
import { type AttachmentStep, attachmentSteps, type DesiredAttachment } from './attachment-plan.ts';

const at = (server: string) => ({ volume_id: 'volume', server_id: server, device: `/dev/${server}` });

function aVolume(
  status: string,
  { to = [], multiattach = false }: { to?: string[]; multiattach?: boolean } = {},
): Volume {
  return Volume.parse({ id: 'volume', status, size: 1, multiattach, attachments: to.map(at) });
}

const attachmentA: DesiredAttachment = { name: 'a', nodeName: 'node-a', serverID: 'server-a', isBeingDeleted: false };
const attachmentB: DesiredAttachment = { name: 'b', nodeName: 'node-b', serverID: 'server-b', isBeingDeleted: false };
const detachingA = { ...attachmentA, isBeingDeleted: true };

const attach = (name: string): AttachmentStep => ({ kind: 'attach', name, serverID: `server-${name}` });
const wait = (name: string, awaited: 'attachment' | 'detachment' | 'other'): AttachmentStep => ({
  kind: 'wait',
  name,
  pendingChange: awaited,
});
const attached = (name: string): AttachmentStep => ({ kind: 'attached', name, device: `/dev/server-${name}` });

test.each<{ is: string; volume: Volume | undefined; desired: DesiredAttachment[]; steps: unknown[] }>([
  { is: 'a volume that is free', volume: aVolume('available'), desired: [attachmentA], steps: [attach('a')] },
  {
    is: 'a volume that is being attached',
    volume: aVolume('attaching'),
    desired: [attachmentA],
    steps: [wait('a', 'attachment')],
  },
  {
    is: 'a volume that Nova has reserved',
    volume: aVolume('reserved'),
    desired: [attachmentA],
    steps: [wait('a', 'attachment')],
  },
  {
    is: 'a volume that is being created',
    volume: aVolume('creating'),
    desired: [attachmentA],
    steps: [wait('a', 'other')],
  },
  {
    is: 'a volume that is attached',
    volume: aVolume('in-use', { to: ['server-a'] }),
    desired: [attachmentA],
    steps: [attached('a')],
  },
  {
    is: 'a volume that is attached and being extended',
    volume: aVolume('extending', { to: ['server-a'] }),
    desired: [attachmentA],
    steps: [attached('a')],
  },
  {
    is: 'a volume at another node, which is named',
    volume: aVolume('in-use', { to: ['server-b'] }),
    desired: [attachmentA],
    steps: [{ kind: 'impossible', name: 'a', message: 'it is still attached to node node-b' }],
  },
  {
    is: 'a volume at a server outside the cluster',
    volume: aVolume('in-use', { to: ['server-x'] }),
    desired: [attachmentA],
    steps: [{ kind: 'impossible', name: 'a', message: 'it is still attached to server server-x' }],
  },
  {
    is: 'a volume that allows several attachments',
    volume: aVolume('in-use', { to: ['server-b'], multiattach: true }),
    desired: [attachmentA],
    steps: [attach('a')],
  },
  {
    is: 'a volume that failed',
    volume: aVolume('error'),
    desired: [attachmentA],
    steps: [{ kind: 'impossible', name: 'a', message: 'its status in Cinder is error' }],
  },
  {
    is: 'a volume that no longer exists',
    volume: undefined,
    desired: [attachmentA],
    steps: [expect.objectContaining({ kind: 'impossible' })],
  },
  {
    is: 'a node without a server',
    volume: aVolume('available'),
    desired: [{ ...attachmentA, serverID: undefined }],
    steps: [{ kind: 'impossible', name: 'a', message: 'node node-a has no server of this cluster' }],
  },
  {
    is: 'two nodes that request a volume: the oldest attachment first',
    volume: aVolume('available'),
    desired: [attachmentA, attachmentB],
    steps: [attach('a'), wait('b', 'other')],
  },
  {
    is: 'a volume that moves from node to node',
    volume: aVolume('in-use', { to: ['server-a'] }),
    desired: [detachingA, attachmentB],
    steps: [
      { kind: 'detach', name: 'a', serverID: 'server-a' },
      { kind: 'impossible', name: 'b', message: 'it is still attached to node node-a' },
    ],
  },
  {
    is: 'a volume that is being detached to move to another node',
    volume: aVolume('detaching', { to: ['server-a'] }),
    desired: [detachingA, attachmentB],
    steps: [wait('a', 'detachment'), wait('b', 'other')],
  },
  {
    is: 'a volume that has been detached from its node',
    volume: aVolume('available'),
    desired: [detachingA, attachmentB],
    steps: [{ kind: 'detached', name: 'a' }, attach('b')],
  },
  {
    is: 'a node that was deleted with its server',
    volume: aVolume('available'),
    desired: [{ ...detachingA, serverID: undefined }],
    steps: [{ kind: 'detached', name: 'a' }],
  },
  {
    is: 'a volume that was deleted before its attachment',
    volume: undefined,
    desired: [detachingA],
    steps: [{ kind: 'detached', name: 'a' }],
  },
  {
    is: 'a volume that is no longer requested while it is being attached',
    volume: aVolume('attaching'),
    desired: [detachingA],
    steps: [wait('a', 'other')],
  },
])('$is', ({ volume, desired, steps }) => {
  expect(
    attachmentSteps(volume, desired, (id) => (id === 'server-x' ? undefined : id.replace('server', 'node'))),
  ).toEqual(steps);
});
