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
const wait = (name: string, cause: 'attachment' | 'detachment' | 'other'): AttachmentStep => ({
  kind: 'wait',
  name,
  for: cause,
});
const attached = (name: string): AttachmentStep => ({ kind: 'attached', name, device: `/dev/server-${name}` });

test.each<{ is: string; volume: Volume | undefined; desired: DesiredAttachment[]; steps: unknown[] }>([
  { is: 'a volume that is free', volume: aVolume('available'), desired: [attachmentA], steps: [attach('a')] },
  {
    is: 'one that is on its way',
    volume: aVolume('attaching'),
    desired: [attachmentA],
    steps: [wait('a', 'attachment')],
  },
  {
    is: 'one that Nova has asked for',
    volume: aVolume('reserved'),
    desired: [attachmentA],
    steps: [wait('a', 'attachment')],
  },
  { is: 'one that is being made', volume: aVolume('creating'), desired: [attachmentA], steps: [wait('a', 'other')] },
  {
    is: 'one that is there',
    volume: aVolume('in-use', { to: ['server-a'] }),
    desired: [attachmentA],
    steps: [attached('a')],
  },
  {
    is: 'one that is there and grows',
    volume: aVolume('extending', { to: ['server-a'] }),
    desired: [attachmentA],
    steps: [attached('a')],
  },
  {
    is: 'one at another node, by its name',
    volume: aVolume('in-use', { to: ['server-b'] }),
    desired: [attachmentA],
    steps: [{ kind: 'impossible', name: 'a', message: 'it is still attached to node node-b' }],
  },
  {
    is: 'one at a server that is none of the cluster’s',
    volume: aVolume('in-use', { to: ['server-x'] }),
    desired: [attachmentA],
    steps: [{ kind: 'impossible', name: 'a', message: 'it is still attached to server server-x' }],
  },
  {
    is: 'one that many may have',
    volume: aVolume('in-use', { to: ['server-b'], multiattach: true }),
    desired: [attachmentA],
    steps: [attach('a')],
  },
  {
    is: 'one that failed',
    volume: aVolume('error'),
    desired: [attachmentA],
    steps: [{ kind: 'impossible', name: 'a', message: 'its status in Cinder is error' }],
  },
  {
    is: 'one that is gone',
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
    is: 'two that want it: the oldest',
    volume: aVolume('available'),
    desired: [attachmentA, attachmentB],
    steps: [attach('a'), wait('b', 'other')],
  },
  {
    is: 'one that goes from node to node',
    volume: aVolume('in-use', { to: ['server-a'] }),
    desired: [detachingA, attachmentB],
    steps: [
      { kind: 'detach', name: 'a', serverID: 'server-a' },
      { kind: 'impossible', name: 'b', message: 'it is still attached to node node-a' },
    ],
  },
  {
    is: 'one that is on its way from node to node',
    volume: aVolume('detaching', { to: ['server-a'] }),
    desired: [detachingA, attachmentB],
    steps: [wait('a', 'detachment'), wait('b', 'other')],
  },
  {
    is: 'one that has gone from its node',
    volume: aVolume('available'),
    desired: [detachingA, attachmentB],
    steps: [{ kind: 'detached', name: 'a' }, attach('b')],
  },
  {
    is: 'a node that went with its server',
    volume: aVolume('available'),
    desired: [{ ...detachingA, serverID: undefined }],
    steps: [{ kind: 'detached', name: 'a' }],
  },
  {
    is: 'a volume that went first',
    volume: undefined,
    desired: [detachingA],
    steps: [{ kind: 'detached', name: 'a' }],
  },
  {
    is: 'one that is given up while it is on its way',
    volume: aVolume('attaching'),
    desired: [detachingA],
    steps: [wait('a', 'other')],
  },
])('$is', ({ volume, desired, steps }) => {
  expect(
    attachmentSteps(volume, desired, (id) => (id === 'server-x' ? undefined : id.replace('server', 'node'))),
  ).toEqual(steps);
});
