import { describe, expect, test } from 'vitest';
import { readParameters } from './class-parameters.ts';

describe('the parameters of a StorageClass', () => {
  test.each([
    { parameters: undefined, read: { fsType: 'ext4' } },
    { parameters: { type: 'fast-luks' }, read: { type: 'fast-luks', fsType: 'ext4' } },
    { parameters: { availability: 'az1', type: '' }, read: { availability: 'az1', fsType: 'ext4' } },
    { parameters: { 'csi.storage.k8s.io/fstype': 'xfs' }, read: { fsType: 'xfs' } },
    { parameters: { fstype: 'xfs' }, read: { fsType: 'xfs' } },
  ])('reads $parameters', ({ parameters, read }) => {
    expect(readParameters(parameters as Record<string, string> | undefined)).toEqual(read);
  });

  test.each([
    { parameters: { typ: 'fast' }, problem: /"typ" is unknown: use type, availability/ },
    { parameters: { 'csi.storage.k8s.io/provisioner-secret-name': 'x' }, problem: /refers to a credential/ },
    {
      parameters: { fstype: 'xfs', 'csi.storage.k8s.io/fstype': 'ext4' },
      problem: /differ: use only csi\.storage\.k8s\.io\/fstype/,
    },
    { parameters: { 'csi.storage.k8s.io/fstype': 'zfs' }, problem: /use one of ext2, ext3, ext4, xfs, btrfs/ },
    { parameters: { type: 'x'.repeat(256) }, problem: /longer than 255/ },
  ])('refuses $parameters', ({ parameters, problem }) => {
    expect(readParameters(parameters as unknown as Record<string, string>)).toMatch(problem);
  });
});
