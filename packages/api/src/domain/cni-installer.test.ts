import { expect, test } from 'vitest';
import { cniInstaller, installerOfCanal } from './cni-installer.ts';

test.each([
  { status: undefined, cni: 'canal', is: 'Fairway', reason: 'it is new' },
  { status: {}, cni: 'canal', is: 'Fairway', reason: 'nothing runs yet' },
  { status: { version: '1.34.2' }, cni: 'canal', is: 'Tenant', reason: 'it ran before anybody decided' },
  { status: { version: '1.34.2', cniInstaller: 'Fairway' }, cni: 'canal', is: 'Fairway', reason: 'it was decided' },
  { status: { cniInstaller: 'Tenant' }, cni: 'canal', is: 'Tenant', reason: 'it was decided' },
  { status: undefined, cni: 'cilium', is: 'Tenant', reason: 'Fairway installs none' },
  { status: undefined, cni: 'none', is: 'Tenant', reason: 'nobody is to install one' },
] as const)('a cluster of $status with $cni has it from $is: $reason', ({ status, cni, is }) => {
  expect(cniInstaller(status, cni)).toBe(is);
});

test.each([
  { status: { cni: 'canal', cniInstaller: 'Tenant' }, is: 'Fairway' },
  { status: { cni: 'canal', cniInstaller: 'Fairway' }, is: 'Fairway' },
  { status: { cni: 'none', cniInstaller: 'Tenant' }, is: 'Tenant' },
  { status: { cni: 'canal' }, is: undefined },
] as const)('where Canal is found in a cluster of $status it is from $is', ({ status, is }) => {
  expect(installerOfCanal(status)).toBe(is);
});
