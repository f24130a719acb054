import { BoundedDelayPace } from './bounded-delay-pace.ts';
import { ChangePace } from './change-pace.ts';
import type { Pace } from './pace.ts';

/**
 * A change that takes a cloud some time. A change is punctual if something waits for its end, however long the change
 * takes.
 */
export type PacedChange = 'build' | 'deletion' | 'punctual build' | 'punctual update' | 'punctual deletion';

/** The paces of all changes of one kind of resource. */
export class Paces {
  readonly #paces = new Map<string, Pace>();

  /**
   * `variety` distinguishes resources that take different amounts of time, for example those of different providers.
   */
  of(change: PacedChange, variety = ''): Pace {
    const name = `${change} ${variety}`;
    const known = this.#paces.get(name);
    if (known) return known;
    const pace = change === 'build' || change === 'deletion' ? new ChangePace(change) : new BoundedDelayPace();
    this.#paces.set(name, pace);
    return pace;
  }
}

/** The paces of one cloud by kind: all projects share what was learned. */
export class CloudPaces {
  readonly #paces = new Map<string, Paces>();

  of(kind: string): Paces {
    const known = this.#paces.get(kind);
    if (known) return known;
    const paces = new Paces();
    this.#paces.set(kind, paces);
    return paces;
  }
}
