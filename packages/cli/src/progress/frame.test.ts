import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { frameOf } from './frame.ts';
import type { Ending } from './reporter.ts';
import type { Step } from './step.ts';

const running: Step = { key: 'p', title: 'pool', state: 'running', detail: '1/2', progress: { done: 1, total: 2 } };
const done: Step = { ...running, state: 'done', detail: 'all nodes are ready' };
const waiting: Step = { key: 'w', title: 'nodes', state: 'waiting', detail: 'later' };

function frame(steps: readonly Step[], ending?: Ending): string[] {
  return stripVTControlCharacters(frameOf(steps, { tick: 1, ending })).split('\n');
}

const part = (index: number, state: Step['state'] = 'running'): Step => ({
  key: `m${index}`,
  title: `machine m${index}`,
  state,
  detail: 'boots',
  isPart: true,
});

describe('a line of a terminal', () => {
  test.each([
    { reason: 'what goes on has a spinner and a bar', step: running, line: '⠙ pool [##########----------]: 1/2' },
    { reason: 'what is done has no bar', step: done, line: '✔ pool: all nodes are ready' },
    { reason: 'what waits for others says nothing yet', step: waiting, line: '· nodes' },
    { reason: 'what failed', step: { ...running, state: 'failed' as const }, line: '✖ pool: 1/2' },
    { reason: 'what was reached is full', step: running, ending: 'reached' as const, line: '✔ pool: 1/2' },
    {
      reason: 'what failed stays where it was',
      step: running,
      ending: 'failed' as const,
      line: '✖ pool [##########----------]: 1/2',
    },
    {
      reason: 'what was left goes on',
      step: running,
      ending: 'left' as const,
      line: '· pool [##########----------]: 1/2',
    },
    {
      reason: 'what a server sends stays on its line',
      step: { ...done, detail: 'a\n\u001b[2Jb' },
      line: '✔ pool: a ^[[2Jb',
    },
  ])('$reason', ({ step, ending, line }) => {
    expect(frame([step], ending)).toEqual([line]);
  });
});

test('what was done can go on again', () => {
  expect([frame([done]), frame([running])].flat()).toEqual([
    '✔ pool: all nodes are ready',
    '⠙ pool [##########----------]: 1/2',
  ]);
});

test('parts have a line while something is done to them, and not all of many', () => {
  const parts = [part(0, 'done'), part(1), part(2, 'waiting')];
  expect(frame([running, ...parts])).toEqual(['⠙ pool [##########----------]: 1/2', '  ⠙ machine m1: boots']);

  const many = frame([running, ...Array.from({ length: 100 }, (_, index) => part(index))]);
  expect(many).toHaveLength(10);
  expect(many.at(-1)).toBe('  and 92 more');
});
