import type { Clock } from '@fairway/base/clock';
import { FakeClock } from '@fairway/base/clock-fake';
import type { CliContext } from '../command/context.ts';

export interface FakeContext extends CliContext {
  readonly written: { stdout: string; stderr: string };
  /** Sends SIGHUP. */
  readonly hangUp: () => void;
}

/** A process without a terminal, whose output is captured. */
export function fakeContext(
  overrides: Partial<Pick<CliContext, 'env' | 'cwd' | 'readStdin' | 'ask'>> & {
    readonly clock?: Clock;
  } = {},
): FakeContext {
  const hangups = new Set<() => void>();
  const written = { stdout: '', stderr: '' };
  const sink = (stream: 'stdout' | 'stderr') => ({
    isTerminal: false,
    write: (text: string) => {
      written[stream] += text;
    },
  });
  return {
    env: {},
    cwd: '/nowhere',
    clock: new FakeClock(),
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    readStdin: () => Promise.resolve(''),
    ask: undefined,
    signal: new AbortController().signal,
    onHangup: (listener) => {
      hangups.add(listener);
      return () => hangups.delete(listener);
    },
    hangUp: () => {
      for (const listener of hangups) listener();
    },
    exitWith: () => {},
    written,
    ...overrides,
  };
}
