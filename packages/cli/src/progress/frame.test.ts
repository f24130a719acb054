import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { frameOf } from './frame.ts';
import type { EndState } from './reporter.ts';
import type { Step } from './step.ts';

const running: Step = { key: 'p', title: 'pool', state: 'running', detail: '1/2', progress: { done: 1, total: 2 } };
const done: Step = { ...running, state: 'done', detail: 'all nodes are ready' };
const waiting: Step = { key: 'w', title: 'nodes', state: 'waiting', detail: 'later' };

function frame(steps: readonly Step[], endState?: EndState): string[] {
  return stripVTControlCharacters(frameOf(steps, { tick: 1, endState })).split('\n');
}

const part = (index: number, state: Step['state'] = 'running'): Step => ({
  key: `m${index}`,
  title: `machine m${index}`,
  state,
  detail: 'boots',
  isPart: true,
});

describe('a line on a terminal', () => {
  test.each([
    {
      reason: 'shows a spinner and a bar for a running step',
      step: running,
      line: '⠙ pool [##########----------]: 1/2',
    },
    { reason: 'shows no bar for a finished step', step: done, line: '✔ pool: all nodes are ready' },
    { reason: 'shows no detail for a waiting step', step: waiting, line: '· nodes' },
    { reason: 'shows no bar for a failed step', step: { ...running, state: 'failed' as const }, line: '✖ pool: 1/2' },
    { reason: 'shows a full bar for a reached goal', step: running, ending: 'reached' as const, line: '✔ pool: 1/2' },
    {
      reason: 'keeps the bar of a failed step',
      step: running,
      ending: 'failed' as const,
      line: '✖ pool [##########----------]: 1/2',
    },
    {
      reason: 'shows an abandoned step as running',
      step: running,
      ending: 'left' as const,
      line: '· pool [##########----------]: 1/2',
    },
    {
      reason: 'keeps text from the server on one line',
      step: { ...done, detail: 'a\n\u001b[2Jb' },
      line: '✔ pool: a ^[[2Jb',
    },
  ])('$reason', ({ step, ending, line }) => {
    expect(frame([step], ending)).toEqual([line]);
  });
});

test('shows a finished step as running again', () => {
  expect([frame([done]), frame([running])].flat()).toEqual([
    '✔ pool: all nodes are ready',
    '⠙ pool [##########----------]: 1/2',
  ]);
});

test('shows a limited number of parts, only while they are active', () => {
  const parts = [part(0, 'done'), part(1), part(2, 'waiting')];
  expect(frame([running, ...parts])).toEqual(['⠙ pool [##########----------]: 1/2', '  ⠙ machine m1: boots']);

  const many = frame([running, ...Array.from({ length: 100 }, (_, index) => part(index))]);
  expect(many).toHaveLength(10);
  expect(many.at(-1)).toBe('  and 92 more');
});
