import { expect, test } from 'vitest';
import { networkStatus } from './network-condition.ts';

const inside = { networkID: 'net', subnetID: 'sub', securityGroupID: 'grp' };
const completeNetwork = { ...inside, routerID: 'rtr' };
const ready = { steps: [], resolved: completeNetwork, ready: true, nodesCanStart: true };

test.each([
  { when: 'servers cannot be created in it', plan: { ...ready, ready: false, nodesCanStart: false }, shows: undefined },
  { when: 'its router is being attached', plan: { ...ready, ready: false }, shows: inside },
  { when: 'it is ready', plan: ready, shows: completeNetwork },
])('a new network is reported once nodes can start in it: $when', ({ plan, shows }) => {
  expect(networkStatus(plan, undefined)).toEqual(shows);
});

test('a known network keeps its status until it is ready again', () => {
  expect(networkStatus({ ...ready, ready: false }, { network: completeNetwork })).toEqual(completeNetwork);
});
