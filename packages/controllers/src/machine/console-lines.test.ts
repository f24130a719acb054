import { describe, expect, test } from 'vitest';
import { consoleLines, lastLines } from './console-lines.ts';

describe('consoleLines', () => {
  test.each<{ reason: string; output: string; lines: string[] }>([
    { reason: 'returns the last lines, in order', output: 'one\ntwo\r\n\n  \nthree\n', lines: ['one', 'two', 'three'] },
    {
      reason: 'counts an overwritten line as two',
      output: 'waiting 1s\rwaiting 2s',
      lines: ['waiting 1s', 'waiting 2s'],
    },
    {
      reason: 'removes colours',
      output: '[\u001b[0;32m  OK  \u001b[0m] Started \u001b[0;1;39mcloud-init\u001b[0m.',
      lines: ['[  OK  ] Started cloud-init.'],
    },
    { reason: 'removes a terminal title', output: 'a\u001b]0;rm -rf ~\u0007b', lines: ['ab'] },
    { reason: 'removes a clipboard sequence', output: 'a\u001b]52;c;cm0gLXJmIH4=\u001b\\b', lines: ['ab'] },
    { reason: 'removes a screen clear and a bell', output: '\u001b[2J\u001b[Hlogin:\u0007', lines: ['login:'] },
    { reason: 'removes an 8-bit escape', output: '\u009b31mred', lines: ['red'] },
    { reason: 'removes an unfinished escape', output: 'end\u001b', lines: ['end'] },
    { reason: 'removes bidirectional overrides', output: 'safe \u202Eevil', lines: ['safe  evil'] },
    { reason: 'removes a lone surrogate', output: 'a\ud800b', lines: ['a b'] },
    { reason: 'NUL', output: 'a\u0000b', lines: ['a b'] },
    {
      reason: 'removes a bootstrap token',
      output: 'kubeadm join --token abcdef.0123456789abcdef failed',
      lines: ['kubeadm join --token … failed'],
    },
    { reason: 'handles an empty output', output: '', lines: [] },
  ])('$reason', ({ output, lines }) => {
    expect(consoleLines(output)).toEqual(lines);
  });

  test.each<{ reason: string; output: string }>([
    { reason: 'one endless line', output: 'a'.repeat(5_000_000) },
    { reason: 'endless lines', output: 'a\n'.repeat(2_000_000) },
    { reason: 'only escapes', output: '\u001b['.repeat(2_000_000) },
    { reason: 'an escape that never ends', output: `\u001b]0;${'x'.repeat(5_000_000)}` },
  ])('returns a few short lines for $reason', ({ output }) => {
    const lines = consoleLines(output);

    expect(lines.length).toBeLessThanOrEqual(10);
    expect(lines.every((line) => line.length <= 201)).toBe(true);
  });
});

test.each([
  { lines: ['first', 'second', 'third'], max: 16, text: 'second | third' },
  { lines: ['first', 'second', 'third'], max: 100, text: 'first | second | third' },
  { lines: ['much too long'], max: 5, text: '' },
  { lines: [], max: 5, text: '' },
])('lastLines fits "$text" into $max characters', ({ lines, max, text }) => {
  expect(lastLines(lines, max)).toBe(text);
});
