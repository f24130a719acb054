import { expect, test } from 'vitest';
import { networkStatus } from './network-condition.ts';

const inside = { networkID: 'net', subnetID: 'sub', securityGroupID: 'grp' };
const whole = { ...inside, routerID: 'rtr' };
const ready = { steps: [], resolved: whole, ready: true, nodesCanStart: true };

test.each([
  { when: 'servers cannot be made in it', plan: { ...ready, ready: false, nodesCanStart: false }, shows: undefined },
  { when: 'its router is being attached', plan: { ...ready, ready: false }, shows: inside },
  { when: 'it is ready', plan: ready, shows: whole },
])('a new network is told of once nodes can start in it: $when', ({ plan, shows }) => {
  expect(networkStatus(plan, undefined)).toEqual(shows);
});

test('one that is known stays as it is until it is ready again', () => {
  expect(networkStatus({ ...ready, ready: false }, { network: whole })).toEqual(whole);
});
