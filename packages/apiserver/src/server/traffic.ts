import type { Clock } from '@fairway/base/clock';
import { LoopTurns } from '@fairway/base/loop-turns';
import { type ApiError, tooManyRequests } from '@fairway/kube/object/api-error';
import type { UserInfo } from '../auth/user.ts';
import { EXTRA_PROJECT_ID, isMaster } from '../auth/well-known-users.ts';
import { Allotment } from './allotment.ts';
import { DEFAULT_LIMITS, type ServerLimits } from './limits.ts';
import type { CountedTraffic, Limited, RejectionReason } from './traffic-metrics.ts';

export interface TrafficOptions {
  /** Overrides of `DEFAULT_LIMITS`. */
  readonly limits?: Partial<ServerLimits> | undefined;
  readonly clock: Clock;
}

/** Releases what was acquired; call it once. */
export type Release = () => void;

/** Retry-After of a 429; Kubernetes clients retry automatically. */
const RETRY_AFTER_SECONDS = 1;

/** Prefix of holders that are projects; no user name has it. */
const PROJECT_USERS = 'the users of the project ';

/** All other methods share one label. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const READING_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

interface SharedLimit {
  readonly what: string;
  readonly total: keyof ServerLimits;
  readonly perHolder: keyof ServerLimits;
}

const SHARED: Readonly<Record<Limited, SharedLimit>> = {
  connections: { what: 'open connections', total: 'maxConnections', perHolder: 'maxConnectionsPerUser' },
  unauthenticatedConnections: {
    what: 'unauthenticated connections',
    total: 'maxUnauthenticatedConnections',
    perHolder: 'maxUnauthenticatedConnectionsPerAddress',
  },
  readingRequests: {
    what: 'reading requests at a time',
    total: 'maxReadingRequests',
    perHolder: 'maxReadingRequestsPerUser',
  },
  mutatingRequests: {
    what: 'mutating requests at a time',
    total: 'maxMutatingRequests',
    perHolder: 'maxMutatingRequestsPerUser',
  },
  watches: { what: 'running watches', total: 'maxWatches', perHolder: 'maxWatchesPerUser' },
  bodyBytes: {
    what: 'bytes of request bodies at a time',
    total: 'maxBodyBytesInFlight',
    perHolder: 'maxBodyBytesInFlightPerUser',
  },
  answerBytes: {
    what: 'bytes of answers that are not read yet',
    total: 'maxAnswerBytes',
    perHolder: 'maxAnswerBytesPerUser',
  },
};

/** Counts the resources held by one server's clients over all its listeners, and rejects requests beyond the limits. */
export class Traffic implements CountedTraffic {
  readonly limits: ServerLimits;
  readonly clock: Clock;
  readonly #allotments: Readonly<Record<Limited, Allotment>>;
  readonly #rejections = new Map<RejectionReason, number>();
  readonly #answers = new Map<string, number>();
  readonly #turns = new LoopTurns();
  /** Observes the duration of responses that are not streams. */
  #onDuration: ((verb: 'read' | 'write', durationMs: number) => void) | undefined;

  constructor({ limits, clock }: TrafficOptions) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
    this.clock = clock;
    const allotments = Object.entries(SHARED).map(([limited, { total, perHolder }]) => [
      limited,
      new Allotment({ total: this.limits[total], perHolder: this.limits[perHolder] }),
    ]);
    this.#allotments = Object.fromEntries(allotments) as Record<Limited, Allotment>;
  }

  get rejections(): ReadonlyMap<RejectionReason, number> {
    return this.#rejections;
  }

  inUse(limited: Limited): number {
    return this.#allotments[limited].used;
  }

  get answers(): ReadonlyMap<string, number> {
    return this.#answers;
  }

  observeDurations(observer: (verb: 'read' | 'write', durationMs: number) => void): void {
    this.#onDuration = observer;
  }

  /** Counts a response by method and status class. @param durationMs undefined for a stream. */
  answered(method: string, status: number, durationMs: number | undefined): void {
    if (durationMs !== undefined) this.#onDuration?.(READING_METHODS.has(method) ? 'read' : 'write', durationMs);
    const key = `${METHODS.has(method) ? method : 'other'} ${Math.floor(status / 100)}xx`;
    this.#answers.set(key, (this.#answers.get(key) ?? 0) + 1);
  }

  /** Counts a rejection or a closed connection. */
  reject(reason: RejectionReason): void {
    this.#rejections.set(reason, (this.#rejections.get(reason) ?? 0) + 1);
  }

  /** Acquires a share of a limited resource for a user; throws 429 over the limit. */
  enter(limited: Limited, user: UserInfo | undefined, amount = 1): Release {
    const holder = holderOf(user);
    const obstacle = this.#allotments[limited].obstacle(holder, amount);
    if (obstacle !== undefined && !(user && isMaster(user))) throw this.#refusal(limited, obstacle, holder);
    return this.take(limited, holder, amount);
  }

  /** Counts a running or waiting request; flow control limits the total. Throws 429 at the user's own limit if it is enforced. */
  enterFairly(limited: 'readingRequests' | 'mutatingRequests', user: UserInfo, isBounded: boolean): Release {
    const holder = holderOf(user);
    const isOver = isBounded && this.#allotments[limited].obstacle(holder) === 'perHolder';
    if (isOver && !isMaster(user)) throw this.#refusal(limited, 'perHolder', holder);
    return this.take(limited, holder);
  }

  /**
   * Reserves the bytes of a response until it is sent; throws 429 if the user has other unread ones. A user with none may have one of any
   * size within the total limit, and is never rejected if there are no others.
   */
  enterAnswer(user: UserInfo | undefined, bytes: number): Release {
    const { answerBytes } = this.#allotments;
    const holder = holderOf(user);
    const isFirst = answerBytes.heldBy(holder) === 0;
    const obstacle = isFirst
      ? answerBytes.used > 0 && answerBytes.used + bytes > this.limits.maxAnswerBytes && 'total'
      : answerBytes.obstacle(holder, bytes);
    if (obstacle && !(user && isMaster(user))) throw this.#refusal('answerBytes', obstacle, holder);
    return this.take('answerBytes', holder, bytes);
  }

  /** Resolves in an event-loop turn in which no other request starts; users are served round-robin. */
  nextTurn(user: UserInfo | undefined): Promise<void> {
    return this.#turns.enter(holderOf(user));
  }

  /** Acquires without checking limits. */
  take(limited: Limited, holder: string, amount = 1): Release {
    const allotment = this.#allotments[limited];
    allotment.take(holder, amount);
    return () => allotment.give(holder, amount);
  }

  /** The limit that another one would exceed, counted as a rejection. */
  refuses(limited: Limited, holder: string): 'total' | 'perHolder' | undefined {
    const obstacle = this.#allotments[limited].obstacle(holder);
    if (obstacle !== undefined) this.reject(`${limited}.${obstacle}`);
    return obstacle;
  }

  #refusal(limited: Limited, obstacle: 'total' | 'perHolder', holder: string): ApiError {
    this.reject(`${limited}.${obstacle}`);
    const { what, [obstacle]: field } = SHARED[limited];
    const whose = obstacle === 'total' ? 'all clients together' : nameOf(holder);
    const message = `Too many requests, please try again later: ${whose} may have ${this.limits[field]} ${what} (${field})`;
    return tooManyRequests(message, RETRY_AFTER_SECONDS);
  }
}

/**
 * The holder that something counts for. Service accounts are cheap to create, and a project may have any number of users: those of a namespace are
 * one holder, and so are those of a Keystone project.
 */
export function holderOf(user: UserInfo | undefined): string {
  if (user === undefined) return '';
  const [project] = user.extra?.[EXTRA_PROJECT_ID] ?? [];
  if (project !== undefined) return `${PROJECT_USERS}${project}`;
  const [, namespace] = /^system:serviceaccount:([^:]+):/.exec(user.username) ?? [];
  return namespace === undefined ? user.username : `system:serviceaccounts:${namespace}`;
}

function nameOf(holder: string): string {
  return holder.startsWith(PROJECT_USERS) ? holder : JSON.stringify(holder);
}
