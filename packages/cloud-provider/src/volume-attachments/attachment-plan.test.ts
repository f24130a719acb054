import { Volume } from '@fairway/openstack/types/block-storage';
import { expect, test } from 'vitest';
import { type AttachmentStep, attachmentSteps, type WantedAttachment } from './attachment-plan.ts';

const at = (server: string) => ({ volume_id: 'volume', server_id: server, device: `/dev/${server}` });

function aVolume(
  status: string,
  { to = [], multiattach = false }: { to?: string[]; multiattach?: boolean } = {},
): Volume {
  return Volume.parse({ id: 'volume', status, size: 1, multiattach, attachments: to.map(at) });
}

const onA: WantedAttachment = { name: 'a', nodeName: 'node-a', serverID: 'server-a', isBeingDeleted: false };
const onB: WantedAttachment = { name: 'b', nodeName: 'node-b', serverID: 'server-b', isBeingDeleted: false };
const goingFromA = { ...onA, isBeingDeleted: true };

const attach = (name: string): AttachmentStep => ({ kind: 'attach', name, serverID: `server-${name}` });
const wait = (name: string, why: 'attachment' | 'detachment' | 'other'): AttachmentStep => ({
  kind: 'wait',
  name,
  for: why,
});
const attached = (name: string): AttachmentStep => ({ kind: 'attached', name, device: `/dev/server-${name}` });

test.each<{ is: string; volume: Volume | undefined; wanted: WantedAttachment[]; steps: unknown[] }>([
  { is: 'a volume that is free', volume: aVolume('available'), wanted: [onA], steps: [attach('a')] },
  { is: 'one that is on its way', volume: aVolume('attaching'), wanted: [onA], steps: [wait('a', 'attachment')] },
  { is: 'one that Nova has asked for', volume: aVolume('reserved'), wanted: [onA], steps: [wait('a', 'attachment')] },
  { is: 'one that is being made', volume: aVolume('creating'), wanted: [onA], steps: [wait('a', 'other')] },
  { is: 'one that is there', volume: aVolume('in-use', { to: ['server-a'] }), wanted: [onA], steps: [attached('a')] },
  {
    is: 'one that is there and grows',
    volume: aVolume('extending', { to: ['server-a'] }),
    wanted: [onA],
    steps: [attached('a')],
  },
  {
    is: 'one at another node, by its name',
    volume: aVolume('in-use', { to: ['server-b'] }),
    wanted: [onA],
    steps: [{ kind: 'impossible', name: 'a', message: 'it is still attached to node node-b' }],
  },
  {
    is: 'one at a server that is none of the cluster’s',
    volume: aVolume('in-use', { to: ['server-x'] }),
    wanted: [onA],
    steps: [{ kind: 'impossible', name: 'a', message: 'it is still attached to server server-x' }],
  },
  {
    is: 'one that many may have',
    volume: aVolume('in-use', { to: ['server-b'], multiattach: true }),
    wanted: [onA],
    steps: [attach('a')],
  },
  {
    is: 'one that failed',
    volume: aVolume('error'),
    wanted: [onA],
    steps: [{ kind: 'impossible', name: 'a', message: 'its status in Cinder is error' }],
  },
  {
    is: 'one that is gone',
    volume: undefined,
    wanted: [onA],
    steps: [expect.objectContaining({ kind: 'impossible' })],
  },
  {
    is: 'a node without a server',
    volume: aVolume('available'),
    wanted: [{ ...onA, serverID: undefined }],
    steps: [{ kind: 'impossible', name: 'a', message: 'node node-a has no server of this cluster' }],
  },
  {
    is: 'two that want it: the oldest',
    volume: aVolume('available'),
    wanted: [onA, onB],
    steps: [attach('a'), wait('b', 'other')],
  },
  {
    is: 'one that goes from node to node',
    volume: aVolume('in-use', { to: ['server-a'] }),
    wanted: [goingFromA, onB],
    steps: [
      { kind: 'detach', name: 'a', serverID: 'server-a' },
      { kind: 'impossible', name: 'b', message: 'it is still attached to node node-a' },
    ],
  },
  {
    is: 'one that is on its way from node to node',
    volume: aVolume('detaching', { to: ['server-a'] }),
    wanted: [goingFromA, onB],
    steps: [wait('a', 'detachment'), wait('b', 'other')],
  },
  {
    is: 'one that has gone from its node',
    volume: aVolume('available'),
    wanted: [goingFromA, onB],
    steps: [{ kind: 'detached', name: 'a' }, attach('b')],
  },
  {
    is: 'a node that went with its server',
    volume: aVolume('available'),
    wanted: [{ ...goingFromA, serverID: undefined }],
    steps: [{ kind: 'detached', name: 'a' }],
  },
  { is: 'a volume that went first', volume: undefined, wanted: [goingFromA], steps: [{ kind: 'detached', name: 'a' }] },
  {
    is: 'one that is given up while it is on its way',
    volume: aVolume('attaching'),
    wanted: [goingFromA],
    steps: [wait('a', 'other')],
  },
])('$is', ({ volume, wanted, steps }) => {
  expect(
    attachmentSteps(volume, wanted, (id) => (id === 'server-x' ? undefined : id.replace('server', 'node'))),
  ).toEqual(steps);
});
