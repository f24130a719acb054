import { expect, test } from 'vitest';
import { cniInstaller, detectedInstaller } from './cni-installer.ts';

test.each([
  { status: undefined, cni: 'canal', is: 'Fairway', reason: 'the cluster is new' },
  { status: {}, cni: 'canal', is: 'Fairway', reason: 'nothing runs yet' },
  {
    status: { version: '1.34.2' },
    cni: 'canal',
    is: 'Tenant',
    reason: 'the cluster ran before the decision was recorded',
  },
  {
    status: { version: '1.34.2', cniInstaller: 'Fairway' },
    cni: 'canal',
    is: 'Fairway',
    reason: 'the decision is recorded',
  },
  { status: { cniInstaller: 'Tenant' }, cni: 'canal', is: 'Tenant', reason: 'the decision is recorded' },
  { status: undefined, cni: 'cilium', is: 'Fairway', reason: 'the cluster is new' },
  { status: { version: '1.34.2' }, cni: 'cilium', is: 'Tenant', reason: 'the tenant had to install it' },
  {
    status: { cniInstaller: 'Tenant' },
    cni: 'cilium',
    is: 'Tenant',
    reason: 'an earlier release recorded the decision',
  },
  { status: undefined, cni: 'none', is: 'Tenant', reason: 'no pod network is requested' },
] as const)('$is installs $cni in a cluster with status $status: $reason', ({ status, cni, is }) => {
  expect(cniInstaller(status, cni)).toBe(is);
});

test.each([
  { status: { cni: 'canal', cniInstaller: 'Tenant' }, found: 'canal', is: 'Fairway' },
  { status: { cni: 'cilium', cniInstaller: 'Tenant' }, found: 'cilium', is: 'Fairway' },
  { status: { cni: 'canal', cniInstaller: 'Fairway' }, found: 'canal', is: 'Fairway' },
  { status: { cni: 'cilium', cniInstaller: 'Tenant' }, found: 'canal', is: 'Tenant' },
  { status: { cni: 'none', cniInstaller: 'Tenant' }, found: 'canal', is: 'Tenant' },
  { status: { cni: 'canal' }, found: 'canal', is: undefined },
] as const)(
  'detects that, with $found in a cluster with status $status, the installer is $is',
  ({ status, found, is }) => {
    expect(detectedInstaller(status, found)).toBe(is);
  },
);
