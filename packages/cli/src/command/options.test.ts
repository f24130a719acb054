import { Command } from 'commander';
import { expect, test } from 'vitest';
import { noWaitOption, timeoutOption, waitOption } from './options.ts';

/** Parses the arguments of a command that waits by default if `isDefault` is set. */
function parsed(isDefault: boolean, ...args: readonly string[]) {
  const command = new Command()
    .addOption(waitOption('success', { isDefault }))
    .addOption(noWaitOption({ isDefault: !isDefault }))
    .addOption(timeoutOption('15m', { isWaitDefault: isDefault }));
  command.parse(args, { from: 'user' });
  const { wait = false, timeout } = command.opts<{ wait?: boolean; timeout: number }>();
  return { wait, timeout };
}

test.each([
  { isDefault: true, args: [], wait: true, timeout: 900_000, reason: 'by default' },
  { isDefault: true, args: ['--no-wait'], wait: false, timeout: 900_000, reason: '' },
  { isDefault: true, args: ['--timeout', '5m'], wait: true, timeout: 300_000, reason: '' },
  { isDefault: false, args: [], wait: false, timeout: 900_000, reason: 'not by default' },
  { isDefault: false, args: ['--wait'], wait: true, timeout: 900_000, reason: '' },
  { isDefault: false, args: ['--timeout', '5m'], wait: true, timeout: 300_000, reason: 'a timeout implies it' },
  {
    isDefault: false,
    args: ['--no-wait', '--timeout', '5m'],
    wait: false,
    timeout: 300_000,
    reason: 'despite the timeout',
  },
])('a command with $args and default $isDefault waits: $wait $reason', ({ isDefault, args, ...expected }) => {
  const { wait, timeout } = expected;
  expect(parsed(isDefault, ...args)).toEqual({ wait, timeout });
});
