import type { Server } from '@fairway/openstack/types/server';
import { clusterTag, FAIRWAY_TAG, machineTag } from '@fairway/tenancy/cloud/ownership';
import { expect, it } from 'vitest';
import { matchServer } from './node-match.ts';

const server = (id: string, name: string, clusterUid = 'ours') =>
  ({ id, name, tags: [FAIRWAY_TAG, clusterTag(clusterUid), machineTag(id)] }) as unknown as Server;
const node = (name: string, providerID?: string) => ({
  metadata: { name },
  spec: { ...(providerID !== undefined && { providerID }) },
});
const servers = [
  server('1', 'a'),
  server('2', 'b'),
  server('3', 'twin'),
  server('4', 'twin'),
  server('5', 'managed', 'theirs'),
];
const listed = { items: new Map(servers.map((each) => [each.id, each])), listedAtMs: 1 };
const place = { clusterUid: 'ours', region: 'north' };

it.each([
  {
    reason: 'its providerID refers to the server',
    of: node('x', 'openstack:///1'),
    is: { kind: 'server', server: servers[0] },
  },
  {
    reason: 'its providerID takes precedence over its name',
    of: node('b', 'openstack:///1'),
    is: { kind: 'server', server: servers[0] },
  },
  {
    reason: 'its providerID includes the region',
    of: node('x', 'openstack://north/1'),
    is: { kind: 'server', server: servers[0] },
  },
  { reason: 'a server has its name', of: node('b'), is: { kind: 'server', server: servers[1] } },
  { reason: 'its name is only a part of a server’s name', of: node('twi'), is: { kind: 'unknown' } },
  { reason: 'two servers have its name', of: node('twin'), is: { kind: 'ambiguous' } },
  {
    reason: 'its providerID refers to one of two servers with its name',
    of: node('twin', 'openstack:///4'),
    is: { kind: 'server', server: servers[3] },
  },
  { reason: 'its server is not listed', of: node('a', 'openstack:///9'), is: { kind: 'gone', serverID: '9' } },
  { reason: 'it is in another region', of: node('a', 'openstack://south/1'), is: { kind: 'foreign' } },
  { reason: 'it is in another cloud', of: node('a', 'aws:///zone/i-1'), is: { kind: 'foreign' } },
  { reason: 'the server belongs to another cluster', of: node('x', 'openstack:///5'), is: { kind: 'foreign' } },
  { reason: 'the only server with its name belongs to another cluster', of: node('managed'), is: { kind: 'unknown' } },
])('matches a node as $is.kind because $reason', ({ of, is }) => {
  expect(matchServer(of, listed, place)).toMatchObject(is);
});

it('reports the servers with the name of a node', () => {
  expect(matchServer(node('twin'), listed, place)).toEqual({
    kind: 'ambiguous',
    message:
      '2 servers in the project are named twin (3, 4): rename those that are not this node, or identify its server with the kubelet flag --provider-id',
  });
});
