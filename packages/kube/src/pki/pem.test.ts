import { describe, expect, test } from 'vitest';
import { onlyPemBlock, pemBlocks, pemOf } from './pem.ts';
import { PkiError } from './pki-error.ts';

const der = Buffer.from('a block of three lines, '.repeat(5));
const TYPE = 'CERTIFICATE REQUEST';
const pem = pemOf({ type: TYPE, der });
const other = pemOf({ type: 'CERTIFICATE', der: Buffer.from('b') });
/** A header whose value spans many lines; every two additional lines double the time of a backtracking parser. */
const requestWithLines = (lines: number) =>
  `-----BEGIN ${TYPE}-----\na: b\n${' c: d\n'.repeat(lines)}\nAAAA\n-----END ${TYPE}----`;

describe('pemBlocks', () => {
  test.each([
    ['one', pem, [TYPE]],
    ['several blocks, with text between them', `# first\n${pem}\nsecond:\n${other}`, [TYPE, 'CERTIFICATE']],
    ['a block with Windows line endings', pem.replaceAll('\n', '\r\n'), [TYPE]],
    ['a block without a final newline', pem.trimEnd(), [TYPE]],
    ['no block that starts in the middle of a line', `x${pem}`, []],
    ['no block without an end', pem.slice(0, -20), []],
    ['no block with the end of another type', pem.replace(/END .*-----/, 'END CERTIFICATE-----'), []],
    ['no block with headers', pem.replace('-----\n', '-----\nProc-Type: 4,ENCRYPTED\n\n'), []],
    ['a block after an unfinished one', `-----BEGIN CERTIFICATE-----\n${pem}`, [TYPE]],
    ['no block that is not base64', pem.replace('\n', '\n?'), []],
    ['empty', `-----BEGIN ${TYPE}-----\n-----END ${TYPE}-----\n`, []],
    ['no block on a single line', pem.replaceAll('\n', ''), []],
    ['no block with continuation lines', requestWithLines(20), []],
  ])('parses %s', (_, text, types) => {
    expect(pemBlocks(text).map(({ type }) => type)).toEqual(types);
  });

  test('refuses more than 1 MiB', () => {
    expect(() => pemBlocks('x'.repeat(1024 * 1024 + 1))).toThrow(/1048577 characters, the limit is 1048576/);
  });

  // Quadratic time would take minutes for these, and exponential time would never end.
  test.each([
    ['continuation lines', requestWithLines(170_000)],
    ['beginnings', `-----BEGIN ${TYPE}-----\n`.repeat(29_000)],
    ['beginnings without a label', '-----BEGIN '.repeat(90_000)],
    ['dashes', '-'.repeat(1_000_000)],
    ['spaces', `-----BEGIN ${TYPE}-----\n${' '.repeat(1_000_000)}x`],
    ['newlines', '\n'.repeat(1_000_000)],
  ])('parses 1 MB of %s in one pass', (_, text) => {
    expect(pemBlocks(text)).toEqual([]);
    expect(() => onlyPemBlock(text, TYPE)).toThrow(PkiError);
  });
});

describe('onlyPemBlock', () => {
  test.each([pem, pem.trimEnd(), pem.replaceAll('\n', '\r\n')])('parses %j', (text) => {
    expect(onlyPemBlock(text, TYPE)).toEqual(der);
  });

  test.each([
    ['', /block type must be CERTIFICATE REQUEST/],
    [other, /block type must be CERTIFICATE REQUEST/],
    [`${other}${pem}`, /block type must be CERTIFICATE REQUEST/],
    [`x${pem}`, /nothing may stand before/],
    [`\n${pem}`, /nothing may stand before/],
    [` ${pem}`, /nothing may stand before/],
    [`\ufeff${pem}`, /nothing may stand before/],
    [`x${pem}${pem}`, /nothing may stand before/],
    [`${pem}${other}`, /one PEM block only/],
    [`${pem}${pem}`, /one PEM block only/],
    [`${pem}x-----BEGIN CERTIFICATE-----`, /one PEM block only/],
    [`-----BEGIN ${TYPE}-----\n${pem}`, /one PEM block only/],
    [pem.replace('-----\n', '-----\na: b\n\n'), /no headers/],
    [requestWithLines(20), /no headers/],
    [pem.replace('\n', '\n?'), /must be base64/],
    [pem.slice(0, -30), /must be base64/],
    [`${pem}\n`, /nothing but a newline may follow/],
    [`${pem}x`, /must be base64|nothing but a newline may follow/],
    [`${pem} `, /nothing but a newline may follow/],
    [pem.replace('\n', '\n\n'), /lines of 64 characters/],
    [pem.replace('\n', ' \n'), /lines of 64 characters/],
    [pem.replace('\n', '\n '), /lines of 64 characters/],
    [pem.replace('\n', '\r\r\n'), /lines of 64 characters/],
    [pem.replace(/\n(?=[A-Za-z])/g, (_, at: number) => (at > 60 ? '' : '\n')), /lines of 64 characters/],
  ])('refuses %j', (text, message) => {
    expect(() => onlyPemBlock(text, TYPE)).toThrow(PkiError);
    expect(() => onlyPemBlock(text, TYPE)).toThrow(message);
  });
});
