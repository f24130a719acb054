import { validateHeaderValue } from 'node:http';
import { parseWarnings } from '@fairway/kube/client/warnings';
import { describe, expect, test } from 'vitest';
import { warningHeader } from './warning-header.ts';

describe('the Warning header', () => {
  test.each([
    { warnings: ['be careful'], reported: ['be careful'] },
    { warnings: ['same', 'same', 'other'], reported: ['same', 'other'] },
    { warnings: ['"quoted", \\ and more'], reported: ['"quoted", \\ and more'] },
    { warnings: ['no cluster 日本–x 🚢'], reported: ['no cluster 日本–x 🚢'] },
    { warnings: ['a\r\nSet-Cookie: x\u0000\u001b[31m\u0085'], reported: ['a Set-Cookie: x [31m '] },
    { warnings: ['half \ud800'], reported: ['half \ufffd'] },
  ])('encodes $warnings to be read as $reported', ({ warnings, reported }) => {
    const header = warningHeader(warnings);

    validateHeaderValue('Warning', header);
    expect(parseWarnings(header)).toEqual(reported);
  });

  test('truncates more than 4096 characters', () => {
    const header = warningHeader(Array.from({ length: 100 }, (_, index) => `${index} ${'x'.repeat(1000)}`));

    expect(parseWarnings(header)).toHaveLength(16);
    expect(header.length).toBeLessThan(5000);
  });
});
