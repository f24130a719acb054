import type { Clock, Timer } from '@fairway/base/clock';
import { createLogUpdate } from 'log-update';
import { frameOf } from './frame.ts';
import type { EndState, Reporter } from './reporter.ts';
import type { Step } from './step.ts';

const TICK_MS = 100;

/**
 * Lines with spinners and bars, redrawn in place on stderr (stdout is for results). Lines appear and disappear with
 * their steps.
 */
export class TerminalReporter implements Reporter {
  readonly #draw: ReturnType<typeof createLogUpdate>;
  readonly #clock: Clock;
  #steps: readonly Step[] = [];
  #tick = 0;
  #timer: Timer | undefined;

  constructor(stream: NodeJS.WritableStream, clock: Clock) {
    this.#draw = createLogUpdate(stream);
    this.#clock = clock;
  }

  show(steps: readonly Step[]): void {
    this.#steps = steps;
    this.#draw(frameOf(steps, { tick: this.#tick }));
    this.#timer ??= this.#spin();
  }

  end(endState: EndState): void {
    this.#timer?.cancel();
    if (this.#steps.length > 0) this.#draw(frameOf(this.#steps, { tick: this.#tick, endState }));
    this.#draw.done();
  }

  #spin(): Timer {
    return this.#clock.after(TICK_MS, () => {
      this.#tick++;
      this.#draw(frameOf(this.#steps, { tick: this.#tick }));
      this.#timer = this.#spin();
    });
  }
}
