import type { Clock, Timer } from '@fairway/base/clock';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { PriorityLevelConfiguration } from '@fairway/kube/kinds/generated/types';
import { FlowSchemas, PriorityLevelConfigurations } from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { RequestAttributes, UserInfo } from '../auth/user.ts';
import { type CompiledSchema, compileSchemas } from './compile-schemas.ts';
import { type LeaveSeats, PriorityLevel } from './priority-level.ts';
import { allocateSeats, boundsOf, type SeatBounds, type SeatClaim } from './seat-shares.ts';
import { CATCH_ALL, MANDATORY_OBJECTS, SUGGESTED_OBJECTS } from './standard-objects.ts';

export interface FlowControlOptions {
  readonly reader: ObjectReader;
  readonly clock: Clock;
  readonly random: () => number;
  /** Maximum concurrent requests, excluding exempt levels. */
  readonly seats: number;
  /** Whether the server serves the configuration kinds; otherwise the standard objects apply. */
  readonly isConfigurable: boolean;
  /** Flow of a user's requests if the kinds are not served. */
  readonly holderOf: (user: UserInfo) => string;
}

export interface EnterOptions {
  readonly attributes: RequestAttributes;
  readonly seats: number;
  readonly waitMs: number;
  readonly signal: () => AbortSignal | undefined;
}

/** Interval of borrowing between levels: upstream's `borrowingAdjustmentPeriod`. */
const PERIOD_MS = 10_000;
/** After a compilation, pause for this many times its duration, even if the kinds keep changing. */
const COMPILE_PAUSE_FACTOR = 20;

/** API priority and fairness: https://kubernetes.io/docs/concepts/cluster-administration/flow-control/. */
export class FlowControl {
  readonly #options: FlowControlOptions;
  #levels: ReadonlyMap<string, PriorityLevel> = new Map();
  #schemas: readonly CompiledSchema[] = [];
  /** Duration of the last compilation. */
  #schemaRevision = -1;
  #levelRevision = -1;
  #compiledAtMs = 0;
  #compilePauseMs = 0;
  #lastShareMs: number;
  #timer: Timer | undefined;

  constructor(options: FlowControlOptions) {
    this.#options = options;
    this.#lastShareMs = options.clock.now();
  }

  /** Whether the server serves the kinds that configure flow control. */
  get isConfigurable(): boolean {
    return this.#options.isConfigurable;
  }

  /** In order of precedence, for metrics. */
  get schemas(): readonly CompiledSchema[] {
    this.#compile();
    return this.#schemas;
  }

  get levels(): Iterable<PriorityLevel> {
    this.#compile();
    return this.#levels.values();
  }

  /** The level and flow of a request, from the first matching schema in order of precedence. */
  classify(attributes: RequestAttributes): CompiledSchema {
    this.#compile();
    for (const schema of this.#schemas) if (schema.matches(attributes)) return schema;
    // Only for a client that is neither authenticated nor anonymous.
    return this.#schemas.find(({ name }) => name === CATCH_ALL) as CompiledSchema;
  }

  /** Acquires seats for a request. Throws or rejects with 429. */
  enter(schema: CompiledSchema, { attributes, seats, waitMs, signal }: EnterOptions): LeaveSeats | Promise<LeaveSeats> {
    const { level, counts } = schema;
    const nowMs = this.#options.clock.now();
    if (!isWithin(nowMs - this.#lastShareMs, PERIOD_MS)) this.#endPeriods(nowMs);
    const flow = level.isSharded ? this.#flowOf(schema, attributes) : '';
    const entered = level.enter({ flow, counts, seats: Math.min(seats, level.maxSeatsPerRequest), waitMs, signal });
    if (entered instanceof Promise) this.#scheduleNextPeriod();
    return entered;
  }

  close(): void {
    this.#timer?.cancel();
  }

  #flowOf({ name, distinguisher }: CompiledSchema, attributes: RequestAttributes): string {
    if (!this.isConfigurable) return `${name} ${this.#options.holderOf(attributes.user)}`;
    if (distinguisher === 'ByUser') return `${name} ${attributes.user.username}`;
    if (distinguisher !== 'ByNamespace') return name;
    return `${name} ${'namespace' in attributes ? attributes.namespace : ''}`;
  }

  /** Called after each change to objects of these kinds. Running and waiting requests stay with their level. */
  #compile(): void {
    const { reader, clock } = this.#options;
    const schemaRevision = reader.revisionOf(FlowSchemas);
    const levelRevision = reader.revisionOf(PriorityLevelConfigurations);
    if (schemaRevision === this.#schemaRevision && levelRevision === this.#levelRevision) return;
    const nowMs = clock.now();
    if (this.#schemas.length > 0 && isWithin(nowMs - this.#compiledAtMs, this.#compilePauseMs)) return;
    this.#schemaRevision = schemaRevision;
    this.#levelRevision = levelRevision;
    const isConfigurable = this.isConfigurable;
    const priorityLevels = isConfigurable ? reader.list(PriorityLevelConfigurations) : SUGGESTED_OBJECTS.priorityLevels;
    const flowSchemas = isConfigurable ? reader.list(FlowSchemas) : SUGGESTED_OBJECTS.flowSchemas;
    this.#configure(withMandatory(priorityLevels, MANDATORY_OBJECTS.priorityLevels));
    this.#schemas = compileSchemas(
      withMandatory(flowSchemas, MANDATORY_OBJECTS.flowSchemas),
      this.#levels,
      this.#schemas,
    );
    this.#compiledAtMs = clock.now();
    this.#compilePauseMs = (this.#compiledAtMs - nowMs) * COMPILE_PAUSE_FACTOR;
  }

  #configure(configurations: readonly PriorityLevelConfiguration[]): void {
    const { clock, random, seats } = this.#options;
    const bounds = boundsOf(seats, configurations);
    const levels = new Map<string, PriorityLevel>();
    for (const [index, configuration] of configurations.entries()) {
      const name = configuration.metadata.name ?? '';
      const level = this.#levels.get(name) ?? new PriorityLevel(configuration, clock, random);
      level.configure(configuration, bounds[index] as SeatBounds);
      levels.set(name, level);
    }
    this.#levels = levels;
    this.#lendSeats();
  }

  /** Ends the periods that have passed since seats were last divided. */
  #endPeriods(nowMs: number): void {
    const periods = Math.max(0, nowMs - this.#lastShareMs) / PERIOD_MS;
    this.#lastShareMs = nowMs;
    for (const level of this.#levels.values()) level.demand.settle(nowMs, periods);
    this.#lendSeats();
  }

  /** Lends unneeded seats to levels that need them: upstream's rule. */
  #lendSeats(): void {
    const levels = [...this.#levels.values()];
    const limited = levels.filter(({ isExempt }) => !isExempt);
    const total = levels.reduce((sum, { bounds }) => sum + bounds.nominal, 0);
    const exempt = levels.filter(({ isExempt }) => isExempt);
    const left = exempt.reduce((rest, { bounds, demand }) => rest - Math.max(bounds.min, demand.highest), total);
    const claims = limited.map(({ bounds, demand }) => {
      const needed = Math.max(bounds.min, Math.min(bounds.nominal, demand.highest));
      return { min: bounds.min, needed, max: bounds.max, target: Math.max(needed, demand.smoothed) };
    });
    const limits = divideSeats(total, left, claims);
    for (const [index, level] of limited.entries()) {
      level.limit = Math.round(limits[index] ?? 0);
      level.dispatch();
    }
  }

  /** Schedules the next adjustment while requests wait: there may be no new request to trigger it. */
  #scheduleNextPeriod(): void {
    const { clock } = this.#options;
    this.#timer ??= clock.after(this.#lastShareMs + PERIOD_MS - clock.now(), () => {
      this.#timer = undefined;
      this.#endPeriods(clock.now());
      if ([...this.#levels.values()].some(({ hasWaiters }) => hasWaiters)) this.#scheduleNextPeriod();
    });
  }
}

/** False if the clock was set back, which would otherwise prolong the period. */
function isWithin(elapsedMs: number, periodMs: number): boolean {
  return elapsedMs >= 0 && elapsedMs < periodMs;
}

interface NeededSeats extends SeatClaim {
  readonly needed: number;
}

/**
 * Divides the seats among the levels. If exempt requests use so many seats that other levels can't get the seats that
 * they need, the shortage is shared proportionally.
 */
function divideSeats(total: number, left: number, claims: readonly NeededSeats[]): number[] {
  const least = claims.reduce((sum, { min }) => sum + min, 0);
  const needed = claims.reduce((sum, claim) => sum + claim.needed, 0);
  if (left <= least) return claims.map(({ min }) => min);
  if (left > needed) {
    return allocateSeats(
      total,
      claims.map((claim) => ({ ...claim, min: claim.needed })),
    );
  }
  const fraction = (left - least) / (needed - least);
  return claims.map((claim) => claim.min + (claim.needed - claim.min) * fraction);
}

/** Mandatory objects apply before they are stored, and even if they are deleted. */
function withMandatory<T extends KubeObject>(stored: readonly T[], mandatory: readonly T[]): readonly T[] {
  const names = new Set(stored.map(({ metadata }) => metadata.name));
  return [...stored, ...mandatory.filter(({ metadata }) => !names.has(metadata.name))];
}
