import type { Clock } from '@fairway/base/clock';
import { CommandError } from '@fairway/service/command-error';
import { ExitCode } from '@fairway/service/exit-code';
import type { Connection } from '../client/connect.ts';
import type { CliContext } from '../command/context.ts';
import { adviceFor } from './advice.ts';
import { type ClusterView, followCluster } from './cluster-view.ts';
import type { Goal } from './goal.ts';
import { openReporter } from './open-reporter.ts';
import type { EndState, Reporter } from './reporter.ts';
import { type Outcome, type Step, withRemovedSteps } from './step.ts';

/** Grace period for a blocked step before the command gives up: the missing object may be about to appear. */
const BLOCKED_GRACE_MS = 15_000;

/**
 * The remaining part of a `--timeout` that starts now, for a command with several waits. Milliseconds; at least one.
 */
export function timeLeft({ clock }: Pick<CliContext, 'clock'>, timeoutMs: number): () => number {
  const untilMs = clock.now() + timeoutMs;
  return () => Math.max(untilMs - clock.now(), 1);
}

/** Shows progress until the goal is reached. Throws a CommandError on permanent failure or timeout; nothing is rolled back. */
export async function waitFor(
  context: CliContext,
  connection: Connection,
  clusterName: string,
  goal: Goal,
  timeoutMs: number,
): Promise<void> {
  const reporter = await openReporter(context);
  const follow = (signal: AbortSignal) => followCluster(connection, clusterName, signal);
  const { clock, signal } = context;
  let endState: EndState = 'failed';
  try {
    await waitForGoal(goal, { follow, reporter, clock, signal, timeoutMs });
    endState = 'reached';
  } finally {
    reporter.end(signal.aborted ? 'left' : endState);
    if (signal.aborted) {
      const followCommand = goal.watch ?? `fairway cluster get ${clusterName} --watch`;
      context.stderr.write(`Fairway continues in the background; to follow the progress again: ${followCommand}\n`);
    }
  }
}

export interface WaitForGoalOptions {
  readonly follow: (signal: AbortSignal) => AsyncIterable<ClusterView>;
  readonly reporter: Reporter;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Like `waitFor`, for any source of views. */
export async function waitForGoal(
  goal: Goal,
  { follow, reporter, clock, signal, timeoutMs }: WaitForGoalOptions,
): Promise<void> {
  const deadline = new AbortController();
  const stop = AbortSignal.any([signal, deadline.signal]);
  const timer = clock.after(timeoutMs, () => deadline.abort());
  let latest: Outcome = { state: 'running' };
  let steps: readonly Step[] = [];
  // A blocked cluster may never change again, so a timer must end the wait.
  let grace: { readonly reason: string; cancel(): void } | undefined;
  try {
    for await (const view of follow(stop)) {
      steps = withRemovedSteps(steps, goal.steps(view));
      reporter.show(steps);
      latest = goal.outcome(view);
      if (latest.state === 'done') return;
      if (latest.state === 'failed') throw blockedError(goal, latest);
      if (latest.state === 'blocked') {
        const { reason } = latest;
        if (grace?.reason !== reason) {
          grace?.cancel();
          const graceTimer = clock.after(BLOCKED_GRACE_MS, () => deadline.abort());
          grace = { reason, cancel: () => graceTimer.cancel() };
        }
      } else {
        grace?.cancel();
        grace = undefined;
      }
    }
  } finally {
    timer.cancel();
    grace?.cancel();
  }
  signal.throwIfAborted();
  if (latest.state === 'blocked') throw blockedError(goal, latest);
  throw new CommandError(`${goal.subject}: timed out after ${Math.round(timeoutMs / 1000)} s`, {
    exitCode: ExitCode.TimedOut,
    advice: 'Fairway continues in the background: see "fairway cluster list", or wait longer with --timeout',
  });
}

function blockedError({ subject }: Goal, { reason, message }: { reason: string; message: string }): CommandError {
  return new CommandError(`${subject}: ${reason}: ${message}`, { advice: adviceFor(reason) });
}
