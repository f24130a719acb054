import type { Timer } from '@fairway/base/clock';
import type { Change, Entry } from '../store/store.ts';
import type { Representation } from './representation.ts';
import type { Line, LineSink, LineStream } from './request.ts';
import type { Selection } from './selection.ts';
import { eventLine, WatchEvent } from './watch-event.ts';
import type { Watcher, WatchHub } from './watch-hub.ts';

export interface WatchSessionOptions {
  readonly hub: WatchHub;
  readonly selection: Selection;
  readonly representation: Representation;
  readonly wantsBookmarks: boolean;
  /** Objects to begin with, shown as ADDED. */
  readonly initial: readonly Entry[];
  /** Changes to go on with, already in the past. */
  readonly missed: readonly Change[];
  /** A bookmark that marks the end of `initial`. */
  readonly initialEnd: Line | undefined;
  readonly bookmarkLine: () => Line;
  /** Starts the clock that ends the watch. */
  readonly startTimeout: (onTimeout: () => void) => Timer;
}

/** Bounds of what waits for a receiver that does not keep up; beyond, it is cut off and has to resume. */
const MAX_WAITING_LINES = 10_000;
const MAX_WAITING_CHARS = 4 * 1024 * 1024;

/** One running watch: first what is there, then what happens. Holds back while its receiver is busy. */
export class WatchSession implements LineStream, Watcher {
  readonly selection: Selection;
  readonly wantsBookmarks: boolean;
  readonly #options: WatchSessionOptions;
  #sink: LineSink | undefined;
  #state: 'waiting' | 'flowing' | 'blocked' | 'ended' = 'waiting';
  #initial: readonly Entry[];
  #nextInitial = 0;
  #waiting: Line[] = [];
  #waitingChars = 0;
  #timeout: Timer | undefined;

  /** Listens from now on: nothing may happen between the reading of `initial` and `missed` and this call. */
  constructor(options: WatchSessionOptions) {
    this.#options = options;
    this.selection = options.selection;
    this.wantsBookmarks = options.wantsBookmarks;
    this.#initial = options.initial;
    options.hub.add(this);
  }

  start(sink: LineSink): void {
    if (this.#state === 'ended') {
      sink.end();
      return;
    }
    this.#sink = sink;
    const { initialEnd, missed, startTimeout } = this.#options;
    const later = this.#waiting;
    this.#waiting = [];
    if (initialEnd !== undefined) this.#waiting.push(initialEnd);
    for (const change of missed) this.#enqueue(this.#lineOf(new WatchEvent(change)));
    this.#waiting.push(...later);
    this.#timeout = startTimeout(() => this.finish());
    this.resume();
  }

  resume(): void {
    if (this.#state === 'ended') return;
    this.#state = 'flowing';
    while (this.#state === 'flowing' && this.#nextInitial < this.#initial.length) {
      const entry = this.#initial[this.#nextInitial++] as Entry;
      this.#send(eventLine('ADDED', this.#options.representation.objectText(entry)));
    }
    if (this.#nextInitial === this.#initial.length) {
      this.#initial = [];
      this.#nextInitial = 0;
    }
    let sent = 0;
    while (this.#state === 'flowing' && sent < this.#waiting.length) {
      const line = this.#waiting[sent++] as Line;
      this.#waitingChars -= line.text.length;
      this.#send(line);
    }
    this.#waiting.splice(0, sent);
  }

  deliver(event: WatchEvent): void {
    this.#put(this.#lineOf(event));
  }

  bookmark(): void {
    if (this.#state === 'flowing') this.#send(this.#options.bookmarkLine());
  }

  finish(): void {
    if (this.#state === 'ended') return;
    if (this.wantsBookmarks) this.bookmark();
    this.stop();
    this.#sink?.end();
  }

  stop(): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#options.hub.remove(this);
    this.#timeout?.cancel();
    this.#initial = [];
    this.#waiting = [];
  }

  /** What this watcher is told of a change: nothing, where its selection is untouched. */
  #lineOf(event: WatchEvent): Line | undefined {
    const { selection } = this;
    const { removed, entry, previous } = event.change;
    const is = !removed && selection.matches(entry);
    const was = previous !== undefined && selection.matches(previous);
    if (!is && !was) return undefined;
    const type = is ? (was ? 'MODIFIED' : 'ADDED') : 'DELETED';
    return event.line(type, this.#options.representation);
  }

  #put(line: Line | undefined): void {
    if (line === undefined || this.#state === 'ended') return;
    if (this.#state === 'flowing') {
      this.#send(line);
      return;
    }
    this.#enqueue(line);
    if (this.#waiting.length <= MAX_WAITING_LINES && this.#waitingChars <= MAX_WAITING_CHARS) return;
    this.stop();
    this.#sink?.end();
  }

  #enqueue(line: Line | undefined): void {
    if (line === undefined) return;
    this.#waiting.push(line);
    this.#waitingChars += line.text.length;
  }

  #send(line: Line): void {
    if (this.#sink?.send(line) === false && this.#state === 'flowing') this.#state = 'blocked';
  }
}
