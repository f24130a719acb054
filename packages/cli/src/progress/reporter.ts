import type { TextSink } from '../command/context.ts';
import { printable } from '../output/printable.ts';
import type { Step } from './step.ts';

/** Displays steps. */
export interface Reporter {
  show(steps: readonly Step[]): void;
  /** Ends the display. */
  end(isSuccess: boolean): Promise<void>;
}

/** Prints a line whenever a step changes: for logs, pipes and CI. */
export class LineReporter implements Reporter {
  readonly #out: TextSink;
  readonly #told = new Map<string, string>();

  constructor(out: TextSink) {
    this.#out = out;
  }

  show(steps: readonly Step[]): void {
    for (const { key, title, state, detail } of steps) {
      if (state === 'waiting') continue;
      const line =
        state === 'done' ? `${title}: done${detail && `, ${detail}`}` : `${title}: ${detail || 'in progress'}`;
      if (this.#told.get(key) === line) continue;
      this.#told.set(key, line);
      this.#out.write(`${printable(line)}\n`);
    }
  }

  async end(): Promise<void> {}
}
