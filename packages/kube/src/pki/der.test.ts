import { expect, test } from 'vitest';
import { derContents, derElements, encodeDer, TAG } from './der.ts';
import { PkiError } from './pki-error.ts';

test.each([0, 1, 127, 128, 255, 256, 65_535, 65_536])(
  'an element of %i bytes is parsed as it was encoded',
  (length) => {
    const bytes = encodeDer(TAG.octetString, Buffer.alloc(length, 7));
    expect(derElements(Buffer.concat([bytes, bytes])).map((element) => element.content.length)).toEqual([
      length,
      length,
    ]);
  },
);

test.each([
  ['a length in more bytes than necessary', '04810101'],
  ['a length with a leading zero', '0482000101'],
  ['an indefinite length (BER)', '30800000'],
  ['a length of five bytes', '04850000000001ff'],
  ['a tag of two bytes', '1f0100'],
  ['content shorter than its length', '040501'],
  ['a length of 4 GiB', '0484ffffffff'],
  ['half a header', '04'],
])('%s is not DER', (_, hex) => {
  expect(() => derElements(Buffer.from(hex, 'hex'))).toThrow(PkiError);
});

test('trailing data after a single element is refused', () => {
  expect(() => derContents(Buffer.from('30000500', 'hex'), TAG.sequence)).toThrow(PkiError);
  expect(() => derContents(Buffer.from('3100', 'hex'), TAG.sequence)).toThrow(PkiError);
});
