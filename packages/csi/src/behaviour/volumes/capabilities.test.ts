import { describe, expect, test } from 'vitest';
import { AccessMode, type VolumeCapability } from '../../protocol/messages.ts';
import { capability } from '../../testing/csi-test-harness.ts';
import { incompleteReason, unsupportedReason } from '../../volumes/capabilities.ts';

const of = (mode: number, isBlock = false) => capability(mode, isBlock) as VolumeCapability;

describe('a volume capability', () => {
  test.each([
    { given: null, reported: /is missing/ },
    { given: { mount: { fs_type: '' }, access_mode: null }, reported: /access_mode is 0/ },
    { given: of(8), reported: /access_mode is 8/ },
    { given: { access_mode: { mode: 1 } }, reported: /neither block nor mount/ },
  ])('is incomplete if it is $given', ({ given, reported }) => {
    expect(incompleteReason(given)).toMatch(reported);
  });

  test.each([
    { mode: AccessMode.singleNodeWriter, isBlock: false, isMultiattach: false, reported: /^$/ },
    { mode: AccessMode.singleNodeReaderOnly, isBlock: false, isMultiattach: false, reported: /^$/ },
    { mode: AccessMode.singleNodeMultiWriter, isBlock: false, isMultiattach: false, reported: /^$/ },
    { mode: AccessMode.multiNodeReaderOnly, isBlock: false, isMultiattach: true, reported: /^$/ },
    { mode: AccessMode.multiNodeReaderOnly, isBlock: false, isMultiattach: false, reported: /one node at a time/ },
    { mode: AccessMode.multiNodeMultiWriter, isBlock: true, isMultiattach: true, reported: /^$/ },
    { mode: AccessMode.multiNodeMultiWriter, isBlock: true, isMultiattach: false, reported: /one node at a time/ },
    { mode: AccessMode.multiNodeMultiWriter, isBlock: false, isMultiattach: true, reported: /one file system/ },
    { mode: AccessMode.multiNodeSingleWriter, isBlock: false, isMultiattach: true, reported: /one file system/ },
  ])('has mode $mode, block: $isBlock, multiattach: $isMultiattach', ({ mode, isBlock, isMultiattach, reported }) => {
    const reason = unsupportedReason([of(mode, isBlock)], { isMultiattach, subjectText: 'these volumes are' });
    expect(reason ?? '').toMatch(reported);
  });
});
