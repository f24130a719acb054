import { describe, expect, test } from 'vitest';
import { AccessMode, type VolumeCapability } from '../../protocol/messages.ts';
import { capability } from '../../testing/csi-test-harness.ts';
import { incompleteReason, unsupportedReason } from '../../volumes/capabilities.ts';

const of = (mode: number, isBlock = false) => capability(mode, isBlock) as VolumeCapability;

describe('a capability', () => {
  test.each([
    { given: null, told: /is missing/ },
    { given: { mount: { fs_type: '' }, access_mode: null }, told: /access_mode is 0/ },
    { given: of(8), told: /access_mode is 8/ },
    { given: { access_mode: { mode: 1 } }, told: /neither block nor mount/ },
  ])('is incomplete if it is $given', ({ given, told }) => {
    expect(incompleteReason(given)).toMatch(told);
  });

  test.each([
    { mode: AccessMode.singleNodeWriter, isBlock: false, isMultiattach: false, told: /^$/ },
    { mode: AccessMode.singleNodeReaderOnly, isBlock: false, isMultiattach: false, told: /^$/ },
    { mode: AccessMode.singleNodeMultiWriter, isBlock: false, isMultiattach: false, told: /^$/ },
    { mode: AccessMode.multiNodeReaderOnly, isBlock: false, isMultiattach: true, told: /^$/ },
    { mode: AccessMode.multiNodeReaderOnly, isBlock: false, isMultiattach: false, told: /one node at a time/ },
    { mode: AccessMode.multiNodeMultiWriter, isBlock: true, isMultiattach: true, told: /^$/ },
    { mode: AccessMode.multiNodeMultiWriter, isBlock: true, isMultiattach: false, told: /one node at a time/ },
    { mode: AccessMode.multiNodeMultiWriter, isBlock: false, isMultiattach: true, told: /one file system/ },
    { mode: AccessMode.multiNodeSingleWriter, isBlock: false, isMultiattach: true, told: /one file system/ },
  ])('has mode $mode, block: $isBlock, multiattach: $isMultiattach', ({ mode, isBlock, isMultiattach, told }) => {
    const reason = unsupportedReason([of(mode, isBlock)], { isMultiattach, subjectText: 'these volumes are' });
    expect(reason ?? '').toMatch(told);
  });
});
