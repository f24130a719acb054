import type { Clock } from './clock.ts';

/**
 * Runs `task` repeatedly, with a pause before each run; a failure does not change the pause. Returns a stop function, which resolves when the current
 * run has ended.
 */
export function every(
  periodMs: number,
  clock: Clock,
  task: () => Promise<void>,
  onError: (error: unknown) => void = () => undefined,
): () => Promise<void> {
  let isStopped = false;
  let running = Promise.resolve();
  let timer = clock.after(periodMs, run);
  function run(): void {
    running = task()
      .catch(onError)
      .then(() => {
        if (!isStopped) timer = clock.after(periodMs, run);
      });
  }
  return () => {
    isStopped = true;
    timer.cancel();
    return running;
  };
}
