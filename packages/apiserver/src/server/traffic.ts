import type { Clock } from '@fairway/base/clock';
import { type ApiError, tooManyRequests } from '@fairway/kube/object/api-error';
import type { UserInfo } from '../auth/user.ts';
import { isMaster } from '../auth/well-known-users.ts';
import { Allotment } from './allotment.ts';
import { DEFAULT_LIMITS, type ServerLimits } from './limits.ts';
import type { CountedTraffic, Limited, RejectionReason } from './traffic-metrics.ts';

export interface TrafficOptions {
  /** Where they differ from `DEFAULT_LIMITS`. */
  readonly limits?: Partial<ServerLimits> | undefined;
  readonly clock: Clock;
}

/** Releases what was acquired; to be called once. */
export type Release = () => void;

/** Retry-After of a 429; Kubernetes clients retry by themselves. */
const RETRY_AFTER_SECONDS = 1;

/** Any other word that a client sends is one label. */
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

/** Counts what one server's clients hold open, over all its listeners, and rejects what exceeds the limits. */
export class Traffic implements CountedTraffic {
  readonly limits: ServerLimits;
  readonly clock: Clock;
  readonly #allotments: Readonly<Record<Limited, Allotment>>;
  readonly #rejections = new Map<RejectionReason, number>();
  readonly #answers = new Map<string, number>();
  /** Told how long answers took that are not streams. */
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

  /** Counts an answer by method and status class. @param durationMs undefined for a stream. */
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

  /** Counts a request that runs, or waits for its turn: flow control knows the total. Throws 429 at the user's own limit where it holds. */
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

  /** Acquires without checking limits. */
  take(limited: Limited, holder: string, amount = 1): Release {
    const allotment = this.#allotments[limited];
    allotment.take(holder, amount);
    return () => allotment.give(holder, amount);
  }

  /** The limit that one more would exceed, counted as a rejection. */
  refuses(limited: Limited, holder: string): 'total' | 'perHolder' | undefined {
    const obstacle = this.#allotments[limited].obstacle(holder);
    if (obstacle !== undefined) this.reject(`${limited}.${obstacle}`);
    return obstacle;
  }

  #refusal(limited: Limited, obstacle: 'total' | 'perHolder', holder: string): ApiError {
    this.reject(`${limited}.${obstacle}`);
    const { what, [obstacle]: field } = SHARED[limited];
    const whose = obstacle === 'total' ? 'all clients together' : JSON.stringify(holder);
    const message = `Too many requests, please try again later: ${whose} may have ${this.limits[field]} ${what} (${field})`;
    return tooManyRequests(message, RETRY_AFTER_SECONDS);
  }
}

/** The holder that something counts for. Service accounts are cheap to create: those of a namespace are one holder. */
export function holderOf(user: UserInfo | undefined): string {
  if (user === undefined) return '';
  const [, namespace] = /^system:serviceaccount:([^:]+):/.exec(user.username) ?? [];
  return namespace === undefined ? user.username : `system:serviceaccounts:${namespace}`;
}
