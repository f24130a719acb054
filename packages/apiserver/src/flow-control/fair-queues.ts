import type { QueuingConfiguration } from '@fairway/kube/kinds/generated/types';
import { handOf } from './shuffle-sharding.ts';

/** A request waiting for seats. */
export interface Waiter {
  readonly seats: number;
  /** Admits the request. */
  readonly admit: (queue: FairQueue) => void;
}

interface QueuedRequest {
  readonly waiter: Waiter;
  /** The virtual time at which the request arrived. */
  readonly arrivalOrder: number;
}

/** One queue of a level. It exists while any of its requests is waiting or running. */
export interface FairQueue {
  readonly index: number;
  readonly waiting: QueuedRequest[];
  waitingSeats: number;
  running: number;
  /** The progress at which its next request would start if each queue had an equal share of the seats. */
  next: number;
}

/** Removes a request from its queue. */
export type Withdraw = (limit: number, nowMs: number) => void;

/** Assumed duration of a request until its actual duration is known: upstream's estimate. */
const EXPECTED_DURATION_MS = 3;

/**
 * The queues of a priority level. Each gets an equal share of the level's seats over time, however many requests wait
 * in it: fair queueing by virtual finish times (https://en.wikipedia.org/wiki/Fair_queuing), in seat-milliseconds.
 */
export class FairQueues {
  waiting = 0;
  waitingSeats = 0;
  readonly #seed: number;
  readonly #queues = new Map<number, FairQueue>();
  #config: Required<QueuingConfiguration>;
  /** Virtual time: the progress of a queue that is never empty. */
  #progress = 0;
  #sinceMs: number;
  /** Seats of a queue's waiting and running requests. */
  #seats = 0;
  #arrivals = 0;

  constructor(config: QueuingConfiguration, seed: number, nowMs: number) {
    this.#config = complete(config);
    this.#seed = seed;
    this.#sinceMs = nowMs;
  }

  configure(config: QueuingConfiguration): void {
    this.#config = complete(config);
  }

  /** Returns a cancel function; undefined if the request's queue is full and `mayOverflow` is not set. */
  enqueue(flow: string, waiter: Waiter, limit: number, nowMs: number, mayOverflow: boolean): Withdraw | undefined {
    this.#advance(limit, nowMs);
    const queue = this.#shortestQueue(flow);
    if (!mayOverflow && queue.waiting.length >= this.#config.queueLengthLimit) return undefined;
    if (queue.waiting.length + queue.running === 0) {
      queue.next = this.#progress;
      this.#queues.set(queue.index, queue);
    }
    const waiting = { waiter, arrivalOrder: this.#progress };
    queue.waiting.push(waiting);
    this.#count(queue, 1, waiter.seats);
    this.#seats += waiter.seats;
    return (currentLimit, currentMs) => {
      this.#advance(currentLimit, currentMs);
      queue.waiting.splice(queue.waiting.indexOf(waiting), 1);
      this.#count(queue, -1, -waiter.seats);
      this.#seats -= waiter.seats;
      this.#settle(queue);
    };
  }

  /** Admits the next request if `hasRoom` for its seats; returns whether it did. */
  dispatch(limit: number, nowMs: number, hasRoom: (seats: number) => boolean): boolean {
    this.#advance(limit, nowMs);
    const queue = this.#nextQueue();
    const first = queue?.waiting[0];
    if (queue === undefined || first === undefined || !hasRoom(first.waiter.seats)) return false;
    queue.waiting.shift();
    this.#count(queue, -1, -first.waiter.seats);
    queue.running++;
    queue.next += first.waiter.seats * EXPECTED_DURATION_MS;
    // Among queues with equal progress, the least recently served one is next.
    this.#queues.delete(queue.index);
    this.#queues.set(queue.index, queue);
    first.waiter.admit(queue);
    return true;
  }

  finish(queue: FairQueue, seats: number, tookMs: number, limit: number, nowMs: number): void {
    this.#advance(limit, nowMs);
    queue.running--;
    queue.next += seats * (tookMs - EXPECTED_DURATION_MS);
    this.#seats -= seats;
    this.#settle(queue);
  }

  #count(queue: FairQueue, requests: number, seats: number): void {
    queue.waitingSeats += seats;
    this.waiting += requests;
    this.waitingSeats += seats;
  }

  /** Prevents a queue from accumulating unused shares. */
  #settle(queue: FairQueue): void {
    const first = queue.waiting[0];
    if (first !== undefined) queue.next = Math.max(queue.next, first.arrivalOrder);
    else if (queue.running === 0) this.#queues.delete(queue.index);
  }

  #advance(limit: number, nowMs: number): void {
    const elapsed = nowMs - this.#sinceMs;
    // The clock may have been set back.
    this.#sinceMs = nowMs;
    if (this.#queues.size === 0 || elapsed <= 0) return;
    this.#progress += (elapsed * Math.min(this.#seats, limit)) / this.#queues.size;
  }

  /** Queues of the flow's hand, starting at a different one each time. */
  #shortestQueue(flow: string): FairQueue {
    const { queues, handSize } = this.#config;
    const hand = queues > 1 ? handOf(this.#seed, flow, queues, handSize) : [0];
    const offset = this.#arrivals++ % hand.length;
    let best: FairQueue | undefined;
    for (let step = 0; step < hand.length; step++) {
      const index = hand[(offset + step) % hand.length] as number;
      const queue = this.#queues.get(index) ?? { index, waiting: [], waitingSeats: 0, running: 0, next: 0 };
      if (best === undefined || queue.waitingSeats < best.waitingSeats) best = queue;
    }
    return best as FairQueue;
  }

  #nextQueue(): FairQueue | undefined {
    let best: FairQueue | undefined;
    let bestFinish = Number.POSITIVE_INFINITY;
    for (const queue of this.#queues.values()) {
      const first = queue.waiting[0];
      const finish = queue.next + (first?.waiter.seats ?? 0) * EXPECTED_DURATION_MS;
      if (first === undefined || finish >= bestFinish) continue;
      best = queue;
      bestFinish = finish;
    }
    return best;
  }
}

function complete({
  queues = 1,
  handSize = 1,
  queueLengthLimit = 1,
}: QueuingConfiguration): Required<QueuingConfiguration> {
  return { queues, handSize: Math.min(handSize, queues), queueLengthLimit };
}
