import { Listr, type ListrDefaultRendererLogLevels, ListrLogger, ProcessOutput } from 'listr2';
import { printable } from '../output/printable.ts';
import type { Reporter } from './reporter.ts';
import type { Step } from './step.ts';

interface Line {
  step: Step;
  readonly settled: PromiseWithResolvers<void>;
  /** Updates the terminal's line, once its task runs. */
  render: (() => void) | undefined;
}

/** Lines with spinners that are redrawn in place, on stderr: stdout is for results. */
export class TerminalReporter implements Reporter {
  readonly #lines = new Map<string, Line>();
  #finished: Promise<unknown> | undefined;

  show(steps: readonly Step[]): void {
    for (const step of steps) {
      const line = this.#lines.get(step.key);
      if (line === undefined) {
        // The first call contains all steps; lines cannot be added to a running list.
        if (this.#finished === undefined) this.#lines.set(step.key, newLine(step));
        continue;
      }
      line.step = step;
      line.render?.();
    }
    this.#finished ??= this.#start();
    for (const { step, settled } of this.#lines.values()) if (step.state === 'done') settled.resolve();
  }

  async end(isSuccess: boolean): Promise<void> {
    for (const { settled, step } of this.#lines.values()) {
      if (isSuccess || step.state === 'done') settled.resolve();
      else settled.reject(new Error(step.detail || 'not finished'));
    }
    await this.#finished;
  }

  #start(): Promise<unknown> {
    const tasks = [...this.#lines.values()].map((line) => ({
      title: line.step.title,
      task: async (_context: unknown, task: { title?: string | undefined; output?: string | undefined }) => {
        line.render = () => {
          const { title, state, detail } = line.step;
          const suffix = detail === '' ? '' : `: ${printable(detail)}`;
          task.title = state === 'done' || state === 'running' ? `${title}${suffix}` : title;
        };
        line.render();
        await line.settled.promise;
      },
    }));
    const list = new Listr(tasks, {
      concurrent: true,
      exitOnError: false,
      renderer: 'default',
      rendererOptions: {
        collapseErrors: false,
        showErrorMessage: false,
        logger: new ListrLogger<ListrDefaultRendererLogLevels>({
          useIcons: false,
          processOutput: new ProcessOutput(process.stderr, process.stderr),
        }),
      },
    });
    return list.run();
  }
}

function newLine(step: Step): Line {
  const settled = Promise.withResolvers<void>();
  settled.promise.catch(() => {});
  return { step, settled, render: undefined };
}
