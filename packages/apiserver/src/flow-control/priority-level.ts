import type { Clock } from '@fairway/base/clock';
import type { PriorityLevelConfiguration, QueuingConfiguration } from '@fairway/kube/kinds/generated/types';
import { tooManyRequests } from '@fairway/kube/object/api-error';
import { type FairQueue, FairQueues } from './fair-queues.ts';
import type { FlowCounts, FlowRejection } from './flow-counts.ts';
import { RetryAfter } from './retry-after.ts';
import { SeatDemand } from './seat-demand.ts';
import type { SeatBounds } from './seat-shares.ts';

/** Releases seats; must be called once. */
export type LeaveSeats = () => void;

export interface SeatRequest {
  /** The flow distinguisher; queueing is fair among flows. */
  readonly flow: string;
  readonly seats: number;
  readonly counts: FlowCounts;
  /** Maximum waiting time. */
  readonly waitMs: number;
  /** Cancels the wait if the client disconnects. Called only if the request has to wait. */
  readonly signal: () => AbortSignal | undefined;
}

/** The seats of one priority level, and the requests waiting for them. */
export class PriorityLevel {
  readonly name: string;
  uid: string | undefined;
  bounds: SeatBounds = { nominal: 0, min: 0, max: 0 };
  /** The level's current seats after borrowing and lending; an exempt level has no limit. */
  limit = 0;
  readonly demand: SeatDemand;
  readonly #clock: Clock;
  readonly #random: () => number;
  #spec: PriorityLevelConfiguration['spec'];
  #queues: FairQueues | undefined;
  #retryAfter: RetryAfter | undefined;
  #seatsInUse = 0;
  #running = 0;

  constructor({ metadata, spec }: PriorityLevelConfiguration, clock: Clock, random: () => number) {
    this.name = metadata.name ?? '';
    this.#spec = spec;
    this.#clock = clock;
    this.#random = random;
    this.demand = new SeatDemand(clock.now());
  }

  get isExempt(): boolean {
    return this.#spec.type === 'Exempt';
  }

  /** Whether there is more than one queue: only then do flows matter. */
  get isSharded(): boolean {
    return (this.#queuing?.queues ?? 1) > 1;
  }

  get hasWaiters(): boolean {
    return this.#queues !== undefined && this.#queues.waiting > 0;
  }

  /** Maximum seats of one request, same as upstream: a wide request must not wait until most of a level is free. */
  get maxSeatsPerRequest(): number {
    const { handSize = 0 } = this.#queuing ?? {};
    if (handSize === 0) return Number.POSITIVE_INFINITY;
    const { nominal } = this.bounds;
    return Math.max(1, Math.min(Math.ceil(nominal * 0.15), Math.floor(nominal / handSize)));
  }

  configure({ metadata, spec }: PriorityLevelConfiguration, bounds: SeatBounds): void {
    this.#spec = spec;
    this.uid = metadata.uid;
    this.bounds = bounds;
    if (this.#queuing) this.#queues?.configure(this.#queuing);
  }

  get #queuing(): QueuingConfiguration | undefined {
    return this.#spec.limited?.limitResponse?.queuing;
  }

  /**
   * Synchronous if there is room. Throws or rejects with 429 if there is neither room nor a queue, or if the wait times
   * out.
   */
  enter(request: SeatRequest): LeaveSeats | Promise<LeaveSeats> {
    const nowMs = this.#clock.now();
    const admitsNow = this.isExempt || (!this.hasWaiters && this.#hasRoom(request.seats));
    if (admitsNow) return this.#begin(request, nowMs, undefined);
    const queuing = this.#queuing;
    if (queuing === undefined) throw this.#refusal(request, 'concurrency-limit', nowMs);
    this.#queues ??= new FairQueues(queuing, Math.floor(this.#random() * 2 ** 32), nowMs);
    return this.#wait(this.#queues, request, nowMs);
  }

  /** Admits waiting requests once seats are released or borrowed. */
  dispatch(): void {
    const queues = this.#queues;
    if (queues === undefined || queues.waiting === 0) return;
    const nowMs = this.#clock.now();
    const hasRoom = (seats: number) => this.#hasRoom(seats);
    while (queues.waiting > 0 && this.#seatsInUse < this.limit && queues.dispatch(this.limit, nowMs, hasRoom));
  }

  #wait(queues: FairQueues, request: SeatRequest, nowMs: number): Promise<LeaveSeats> {
    const { promise, resolve, reject } = Promise.withResolvers<LeaveSeats>();
    const { seats, counts } = request;
    const signal = request.signal();
    const leaveQueue = () => {
      timer.cancel();
      signal?.removeEventListener('abort', giveUp);
      counts.waiting--;
      counts.waitingSeats -= seats;
    };
    const admit = (queue: FairQueue) => {
      leaveQueue();
      const atMs = this.#clock.now();
      counts.recordWait(atMs - nowMs, true);
      resolve(this.#begin(request, atMs, queue));
    };
    const withdraw = queues.enqueue(request.flow, { seats, admit }, this.limit, nowMs, this.#seatsInUse < this.limit);
    if (withdraw === undefined) throw this.#refusal(request, 'queue-full', nowMs);
    const giveUp = () => {
      const atMs = this.#clock.now();
      withdraw(this.limit, atMs);
      leaveQueue();
      counts.recordWait(atMs - nowMs, false);
      this.#recordDemand(atMs);
      reject(this.#refusal(request, 'time-out', atMs));
      this.dispatch();
    };
    const timer = this.#clock.after(request.waitMs, giveUp);
    signal?.addEventListener('abort', giveUp, { once: true });
    counts.waiting++;
    counts.waitingSeats += seats;
    this.#recordDemand(nowMs);
    if (signal?.aborted) giveUp();
    else this.dispatch();
    return promise;
  }

  #begin({ seats, counts }: SeatRequest, nowMs: number, queue: FairQueue | undefined): LeaveSeats {
    this.#seatsInUse += seats;
    this.#running++;
    counts.dispatched++;
    counts.executing++;
    counts.executingSeats += seats;
    this.#recordDemand(nowMs);
    return () => {
      const endMs = this.#clock.now();
      this.#seatsInUse -= seats;
      this.#running--;
      counts.executing--;
      counts.executingSeats -= seats;
      this.#recordDemand(endMs);
      if (queue) this.#queues?.finish(queue, seats, endMs - nowMs, this.limit, endMs);
      this.dispatch();
    };
  }

  /**
   * A request that is wider than the level runs alone. Without queues it runs even in a level without seats, as
   * in upstream.
   */
  #hasRoom(seats: number): boolean {
    if (seats <= this.limit) return this.#seatsInUse + seats <= this.limit;
    return this.#running === 0 && (this.limit > 0 || this.#queuing === undefined);
  }

  #recordDemand(nowMs: number): void {
    this.demand.set(this.#seatsInUse + (this.#queues?.waitingSeats ?? 0), nowMs);
  }

  #refusal({ counts }: SeatRequest, reason: FlowRejection, nowMs: number): Error {
    counts.reject(reason);
    this.#retryAfter ??= new RetryAfter();
    this.#retryAfter.rejected(nowMs);
    return tooManyRequests('Too many requests, please try again later.', this.#retryAfter.seconds);
  }
}
