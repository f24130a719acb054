import { describe, expect, test } from 'vitest';
import { parseProviderID, providerIDOf } from './provider-id.ts';

const serverID = '7b9cf879-7146-417c-abfd-cb4272f0c935';

/** Includes both cases of cloud-provider-openstack's TestInstanceIDFromProviderID. */
describe('a providerID', () => {
  test.each([
    { providerID: `openstack:///${serverID}`, region: '', serverID },
    { providerID: `openstack://RegionOne/${serverID}`, region: 'RegionOne', serverID },
    { providerID: `/${serverID}`, region: '', serverID },
    { providerID: 'openstack://us-east-1/testInstanceID', region: 'us-east-1', serverID: 'testInstanceID' },
    { providerID: '/testInstanceID', region: '', serverID: 'testInstanceID' },
    { providerID: 'us-east-1/testInstanceID', region: 'us-east-1', serverID: 'testInstanceID' },
  ])('identifies a server by $providerID', ({ providerID, ...reference }) => {
    expect(parseProviderID(providerID)).toEqual(reference);
  });

  test.each([
    `openstack://${serverID}`,
    serverID,
    `other-provider:///${serverID}`,
    'openstack://us-east-1-testInstanceID',
    'openstack://a/b/c',
    'openstack:///',
    '',
  ])('does not identify a server by %s', (providerID) => {
    expect(parseProviderID(providerID)).toBeUndefined();
  });

  test('parses what it formats', () => {
    const reference = { region: 'west', serverID };

    expect(parseProviderID(providerIDOf(reference))).toEqual(reference);
  });
});
