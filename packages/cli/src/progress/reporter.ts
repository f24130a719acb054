import type { TextSink } from '../command/context.ts';
import { printable } from '../output/printable.ts';
import type { Step } from './step.ts';

/** How a command's wait ended; `left` means that the user stopped watching and the operation continues. */
export type EndState = 'reached' | 'failed' | 'left';

/** Displays steps. */
export interface Reporter {
  show(steps: readonly Step[]): void;
  end(ending: EndState): void;
}

/** Prints a line whenever a step changes: for logs, pipes and CI. */
export class LineReporter implements Reporter {
  readonly #out: TextSink;
  readonly #printed = new Map<string, string>();

  constructor(out: TextSink) {
    this.#out = out;
  }

  show(steps: readonly Step[]): void {
    for (const { key, title, state, detail, isPart = false } of steps) {
      if (state === 'waiting') continue;
      const line =
        state === 'done' ? `${title}: done${detail && `, ${detail}`}` : `${title}: ${detail || 'in progress'}`;
      const lastLine = this.#printed.get(key);
      if (lastLine === line) continue;
      const hasChanged = lastLine !== undefined || !isPart || state !== 'done';
      if (!hasChanged) continue;
      this.#printed.set(key, line);
      this.#out.write(`${printable(line)}\n`);
    }
  }

  end(): void {}
}
