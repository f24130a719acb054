import { describe, expect, test } from 'vitest';
import { readShareParameters } from './share-parameters.ts';

describe('parameters of a class', () => {
  test.each([
    { given: undefined, read: { metadata: {} } },
    {
      given: { type: 'fast', shareNetworkID: 'net', availability: 'nova' },
      read: { type: 'fast', shareNetworkID: 'net', availability: 'nova', metadata: {} },
    },
    { given: { autoTopology: 'false', type: '' }, read: { metadata: {} } },
    { given: { 'nfs-shareClient': '10.0.0.0/16' }, read: { shareClient: ['10.0.0.0/16'], metadata: {} } },
    {
      given: { 'nfs-shareClient': '10.0.0.5, 192.168.0.0/24' },
      read: { shareClient: ['10.0.0.5', '192.168.0.0/24'], metadata: {} },
    },
    { given: { 'nfs-shareClient': '0.0.0.0/0' }, read: { shareClient: ['0.0.0.0/0'], metadata: {} } },
    { given: { appendShareMetadata: '{"team": "blue"}' }, read: { metadata: { team: 'blue' } } },
  ])('reads $given', ({ given, read }) => {
    expect(readShareParameters(given)).toEqual(read);
  });

  test.each([
    { given: { 'csi.storage.k8s.io/provisioner-secret-name': 'x' }, says: /refers to a credential, .* remove it/ },
    { given: { 'csi.storage.k8s.io/node-stage-secret-namespace': 'x' }, says: /refers to a credential/ },
    { given: { 'cephfs-mounter': 'fuse' }, says: /only NFS shares/ },
    { given: { groupID: 'x' }, says: /does not support share groups/ },
    { given: { autoTopology: 'true' }, says: /every zone/ },
    { given: { protocol: 'NFS' }, says: /"protocol" is unknown: use type, shareNetworkID/ },
    { given: { type: 'x'.repeat(256) }, says: /longer than 255/ },
    { given: { 'nfs-shareClient': 'fd00::/8' }, says: /has "fd00::\/8": use IPv4 networks/ },
    { given: { 'nfs-shareClient': '10.0.0.0/33' }, says: /use IPv4 networks/ },
    { given: { 'nfs-shareClient': '10.0.0.0/8,,' }, says: /has ""/ },
    { given: { appendShareMetadata: '[]' }, says: /is not a JSON object/ },
    { given: { appendShareMetadata: '{' }, says: /is not a JSON object/ },
    { given: { appendShareMetadata: '{"a": 1}' }, says: /value must be a string/ },
    { given: { appendShareMetadata: '{"a": ""}' }, says: /value must be a string/ },
    { given: { appendShareMetadata: '{"fairway.dev/cluster": "x"}' }, says: /reserved for Fairway/ },
    { given: { appendShareMetadata: '{"csi.storage.k8s.io/pv/name": "x"}' }, says: /reserved for Fairway/ },
    { given: { appendShareMetadata: `{"a": "${'x'.repeat(4100)}"}` }, says: /longer than 4096/ },
    {
      given: { appendShareMetadata: JSON.stringify(Object.fromEntries([...Array(21).keys()].map((n) => [n, 'x']))) },
      says: /more than 20/,
    },
  ])('rejects $given', ({ given, says }) => {
    expect(readShareParameters(given as unknown as Record<string, string>)).toMatch(says);
  });
});
