import type { Timer } from '@fairway/base/clock';
import { ApiError } from '@fairway/kube/object/api-error';
import type { Change, Entry } from '../store/store.ts';
import type { Representation } from './representation.ts';
import type { Line, LineSink, LineStream } from './request.ts';
import type { Selection } from './selection.ts';
import { initialLine, missedLine } from './shared-lines.ts';
import { eventLine, type WatchEvent, type WatchEventType } from './watch-event.ts';
import type { Watcher, WatchHub } from './watch-hub.ts';

export interface WatchSessionOptions {
  readonly hub: WatchHub;
  readonly selection: Selection;
  readonly representation: Representation;
  readonly wantsBookmarks: boolean;
  /** Converts entries before they are sent, if a webhook is needed. */
  readonly prepare?: ((entries: readonly Entry[]) => Promise<void> | undefined) | undefined;
  /** Initial objects, sent as ADDED. */
  readonly initial: readonly Entry[];
  /** Missed changes to send next. */
  readonly missed: readonly Change[];
  /** A bookmark that marks the end of `initial`. */
  readonly initialEnd: Line | undefined;
  readonly bookmarkLine: () => Line;
  /** Starts the timer that ends the watch. */
  readonly startTimeout: (onTimeout: () => void) => Timer;
  /** Limit on the backlog of a slow receiver. Beyond it, the watch ends and the client has to resume. */
  readonly maxBacklog: { readonly events: number; readonly chars: number };
  /** Called when the watch is ended because of its backlog. */
  readonly onOverflow: () => void;
}

/** One running watch: first the initial state, then changes. Pauses while its receiver is full. */
export class WatchSession implements LineStream, Watcher {
  readonly selection: Selection;
  readonly wantsBookmarks: boolean;
  readonly #options: WatchSessionOptions;
  #sink: LineSink | undefined;
  #state: 'waiting' | 'flowing' | 'blocked' | 'ended' = 'waiting';
  #initial: readonly Entry[];
  #nextInitial = 0;
  #missed: readonly Change[];
  #nextMissed = 0;
  #waiting: Line[] = [];
  #waitingChars = 0;
  #timeout: Timer | undefined;
  /** Number of events waiting for conversion, and the promise of the last one. */
  #converting = 0;
  #convertingChars = 0;
  #tail: Promise<void> = Promise.resolve();

  /** Subscribes to changes. Must be called in the event-loop turn in which `initial` and `missed` were read. */
  constructor(options: WatchSessionOptions) {
    this.#options = options;
    this.selection = options.selection;
    this.wantsBookmarks = options.wantsBookmarks;
    this.#initial = options.initial;
    this.#missed = options.missed;
    options.hub.add(this);
  }

  start(sink: LineSink): void {
    if (this.#state === 'ended') {
      sink.end();
      return;
    }
    this.#sink = sink;
    const { initialEnd, startTimeout } = this.#options;
    if (initialEnd !== undefined) {
      this.#waiting.unshift(initialEnd);
      this.#waitingChars += initialEnd.text.length;
    }
    this.#timeout = startTimeout(() => this.finish());
    this.resume();
  }

  resume(): void {
    if (this.#state === 'ended') return;
    this.#state = 'flowing';
    while (this.#state === 'flowing' && this.#nextInitial < this.#initial.length) {
      const entry = this.#initial[this.#nextInitial++] as Entry;
      this.#send(initialLine(entry, this.#options.representation));
    }
    if (this.#nextInitial === this.#initial.length) {
      this.#initial = [];
      this.#nextInitial = 0;
    }
    while (this.#state === 'flowing' && this.#nextMissed < this.#missed.length) {
      const change = this.#missed[this.#nextMissed++] as Change;
      const type = this.#typeOf(change);
      if (type !== undefined) this.#send(missedLine(change, type, this.#options.representation));
    }
    if (this.#nextMissed === this.#missed.length) {
      this.#missed = [];
      this.#nextMissed = 0;
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
    if (this.#options.prepare === undefined) this.#show(event);
    else this.#showLater(event, this.#options.prepare);
  }

  /** Keeps events in order, regardless of how long each conversion takes. */
  #showLater(event: WatchEvent, prepare: NonNullable<WatchSessionOptions['prepare']>): void {
    const { maxBacklog, onOverflow } = this.#options;
    const chars = event.visibleEntries.reduce((sum, { text }) => sum + text.length, 0);
    this.#convertingChars += chars;
    if (++this.#converting > maxBacklog.events || this.#convertingChars > maxBacklog.chars) {
      onOverflow();
      this.finish();
      return;
    }
    this.#tail = this.#tail
      .then(() => (this.#state === 'ended' ? undefined : prepare(event.visibleEntries)))
      .then(() => {
        this.#converting--;
        this.#convertingChars -= chars;
        if (this.#state !== 'ended') this.#show(event);
      })
      .catch((error: unknown) => this.#fail(error));
  }

  /** A failed conversion ends the watch, like upstream. */
  #fail(error: unknown): void {
    if (this.#state === 'ended') return;
    const message = error instanceof Error ? error.message : String(error);
    const failure = error instanceof ApiError ? error : new ApiError(500, 'InternalError', message);
    this.#sink?.send(eventLine('ERROR', JSON.stringify(failure.toStatus())));
    this.stop();
    this.#sink?.end();
  }

  #show(event: WatchEvent): void {
    const type = this.#typeOf(event.change);
    if (type !== undefined) this.#put(event.line(type, this.#options.representation));
  }

  bookmark(): void {
    if (this.#state === 'flowing' && this.#converting === 0) this.#send(this.#options.bookmarkLine());
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
    this.#missed = [];
    this.#waiting = [];
  }

  /** The event that reports a change to this watcher; undefined if its selection is not affected. */
  #typeOf({ removed, entry, previous }: Change): WatchEventType | undefined {
    const { selection } = this;
    const is = !removed && selection.matches(entry);
    const matchedBefore = previous !== undefined && selection.matches(previous);
    if (is) return matchedBefore ? 'MODIFIED' : 'ADDED';
    return matchedBefore ? 'DELETED' : undefined;
  }

  #put(line: Line): void {
    if (this.#state === 'ended') return;
    if (this.#state === 'flowing') {
      this.#send(line);
      return;
    }
    this.#waiting.push(line);
    this.#waitingChars += line.text.length;
    const { maxBacklog, onOverflow } = this.#options;
    if (this.#waiting.length <= maxBacklog.events && this.#waitingChars <= maxBacklog.chars) return;
    onOverflow();
    this.stop();
    this.#sink?.end();
  }

  #send(line: Line): void {
    if (this.#sink?.send(line) === false && this.#state === 'flowing') this.#state = 'blocked';
  }
}
