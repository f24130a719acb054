import { expect, test } from 'vitest';
import { cniInstaller, installerOfFound } from './cni-installer.ts';

test.each([
  { status: undefined, cni: 'canal', is: 'Fairway', reason: 'it is new' },
  { status: {}, cni: 'canal', is: 'Fairway', reason: 'nothing runs yet' },
  { status: { version: '1.34.2' }, cni: 'canal', is: 'Tenant', reason: 'it ran before anybody decided' },
  { status: { version: '1.34.2', cniInstaller: 'Fairway' }, cni: 'canal', is: 'Fairway', reason: 'it was decided' },
  { status: { cniInstaller: 'Tenant' }, cni: 'canal', is: 'Tenant', reason: 'it was decided' },
  { status: undefined, cni: 'cilium', is: 'Fairway', reason: 'it is new' },
  { status: { version: '1.34.2' }, cni: 'cilium', is: 'Tenant', reason: 'its tenant had to install it' },
  { status: { cniInstaller: 'Tenant' }, cni: 'cilium', is: 'Tenant', reason: 'it was decided by an earlier release' },
  { status: undefined, cni: 'none', is: 'Tenant', reason: 'nobody is to install one' },
] as const)('a cluster of $status with $cni has it from $is: $reason', ({ status, cni, is }) => {
  expect(cniInstaller(status, cni)).toBe(is);
});

test.each([
  { status: { cni: 'canal', cniInstaller: 'Tenant' }, found: 'canal', is: 'Fairway' },
  { status: { cni: 'cilium', cniInstaller: 'Tenant' }, found: 'cilium', is: 'Fairway' },
  { status: { cni: 'canal', cniInstaller: 'Fairway' }, found: 'canal', is: 'Fairway' },
  { status: { cni: 'cilium', cniInstaller: 'Tenant' }, found: 'canal', is: 'Tenant' },
  { status: { cni: 'none', cniInstaller: 'Tenant' }, found: 'canal', is: 'Tenant' },
  { status: { cni: 'canal' }, found: 'canal', is: undefined },
] as const)('where $found is found in a cluster of $status it is from $is', ({ status, found, is }) => {
  expect(installerOfFound(status, found)).toBe(is);
});
