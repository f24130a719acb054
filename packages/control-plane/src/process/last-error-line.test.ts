import { expect, test } from 'vitest';
import { lastErrorLine } from './last-error-line.ts';

const KLOG = 'E1130 18:30:24.616838    7659 run.go:72] ';

test.each([
  { log: '', message: undefined, reason: 'it says nothing' },
  { log: 'first\nlast\n', message: 'last', reason: 'no line is an error' },
  { log: `${KLOG}"command failed" err="no port"\nbye\n`, message: '"command failed" err="no port"', reason: 'klog' },
  {
    log: `${KLOG}"command failed" err=<\n\tinvalid policy: syntax error\n\t | object +\n >\n`,
    message: '"command failed" err=invalid policy: syntax error',
    reason: 'klog with an error of several lines',
  },
  { log: `${KLOG}"command failed" err=<\n`, message: '"command failed" err=<', reason: 'klog was interrupted' },
  { log: '{"level":"fatal","msg":"closed","error":"disk is full"}\n', message: 'closed: disk is full', reason: 'etcd' },
  { log: `Error: ${'x'.repeat(400)}`, message: `Error: ${'x'.repeat(293)}`, reason: 'it is long' },
])('a log ends with $message: $reason', ({ log, message }) => {
  expect(lastErrorLine(log)).toBe(message);
});
