import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { FakeClock } from '@fairway/base/clock-fake';
import { expect, test } from 'vitest';
import type { Step } from './step.ts';
import { TerminalReporter } from './terminal-reporter.ts';

function terminal() {
  const clock = new FakeClock();
  let written = '';
  const stream = new Writable({
    write(chunk, _encoding, callback) {
      written += String(chunk);
      callback();
    },
  });
  const reporter = new TerminalReporter(Object.assign(stream, { columns: 60, rows: 10 }), clock);
  const take = () => {
    const text = stripVTControlCharacters(written);
    written = '';
    return text;
  };
  return { clock, reporter, take };
}

const step = (title: string, state: Step['state'], detail: string): Step => ({ key: title, title, state, detail });

test('redraws lines as their steps change, appear and run again', () => {
  const { reporter, take } = terminal();
  reporter.show([step('cluster', 'running', 'Upgrade 0/3'), step('pool a', 'done', 'all nodes are ready')]);
  expect(take()).toContain('✔ pool a: all nodes are ready');

  reporter.show([
    step('cluster', 'running', 'Upgrade 1/3'),
    step('pool a', 'running', 'Upgrade 0/2'),
    step('pool b', 'running', 'Create 0/1'),
  ]);
  const text = take();
  expect(text).toContain('⠋ pool a: Upgrade 0/2');
  expect(text).toContain('⠋ pool b: Create 0/1');
  reporter.end('reached');
});

test('turns spinners, and stops them at the end', async () => {
  const { clock, reporter, take } = terminal();
  reporter.show([step('cluster', 'running', 'x')]);
  expect(take()).toContain('⠋ cluster: x');
  await clock.advance(100);
  expect(take()).toContain('⠙ cluster: x');
  reporter.end('left');
  expect(take()).toContain('· cluster: x');
  await clock.advance(1000);
  expect(take()).toBe('');
});
