import type { Clock } from '@fairway/base/clock';
import { LoopTurns } from '@fairway/base/loop-turns';
import { type ApiError, tooManyRequests } from '@fairway/kube/object/api-error';
import type { UserInfo } from '../auth/user.ts';
import { EXTRA_PROJECT_ID, isMaster } from '../auth/well-known-users.ts';
import { Allotment } from './allotment.ts';
import { DEFAULT_LIMITS, type ServerLimits } from './limits.ts';
import type { CountedTraffic, LimitedResource, RejectionReason } from './traffic-metrics.ts';

export interface TrafficOptions {
  /** Overrides for `DEFAULT_LIMITS`. */
  readonly limits?: Partial<ServerLimits> | undefined;
  readonly clock: Clock;
}

/** Releases what was acquired; call it only once. */
export type Release = () => void;

/** Retry-After of a 429; Kubernetes clients retry automatically. */
const RETRY_AFTER_SECONDS = 1;

/** Prefix of holders that are projects; no user name starts with it. */
const PROJECT_USERS = 'the users of the project ';

/** All other methods share one label. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const READING_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

interface SharedLimit {
  readonly description: string;
  readonly total: keyof ServerLimits;
  readonly perHolder: keyof ServerLimits;
}

const SHARED_LIMITS: Readonly<Record<LimitedResource, SharedLimit>> = {
  connections: { description: 'open connections', total: 'maxConnections', perHolder: 'maxConnectionsPerUser' },
  unauthenticatedConnections: {
    description: 'unauthenticated connections',
    total: 'maxUnauthenticatedConnections',
    perHolder: 'maxUnauthenticatedConnectionsPerAddress',
  },
  readingRequests: {
    description: 'reading requests at a time',
    total: 'maxReadingRequests',
    perHolder: 'maxReadingRequestsPerUser',
  },
  mutatingRequests: {
    description: 'mutating requests at a time',
    total: 'maxMutatingRequests',
    perHolder: 'maxMutatingRequestsPerUser',
  },
  watches: { description: 'running watches', total: 'maxWatches', perHolder: 'maxWatchesPerUser' },
  bodyBytes: {
    description: 'bytes of request bodies at a time',
    total: 'maxBodyBytesInFlight',
    perHolder: 'maxBodyBytesInFlightPerUser',
  },
  answerBytes: {
    description: 'bytes of unread responses',
    total: 'maxAnswerBytes',
    perHolder: 'maxAnswerBytesPerUser',
  },
};

/**
 * Counts the resources held by one server's clients across all its listeners, and rejects requests beyond the limits.
 */
export class Traffic implements CountedTraffic {
  readonly limits: ServerLimits;
  readonly clock: Clock;
  readonly #allotments: Readonly<Record<LimitedResource, Allotment>>;
  readonly #rejections = new Map<RejectionReason, number>();
  readonly #responses = new Map<string, number>();
  readonly #turns = new LoopTurns();
  /** Observes the duration of responses that are not streams. */
  #onDuration: ((verb: 'read' | 'write', durationMs: number) => void) | undefined;

  constructor({ limits, clock }: TrafficOptions) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
    this.clock = clock;
    const allotments = Object.entries(SHARED_LIMITS).map(([limited, { total, perHolder }]) => [
      limited,
      new Allotment({ total: this.limits[total], perHolder: this.limits[perHolder] }),
    ]);
    this.#allotments = Object.fromEntries(allotments) as Record<LimitedResource, Allotment>;
  }

  get rejections(): ReadonlyMap<RejectionReason, number> {
    return this.#rejections;
  }

  inUse(limited: LimitedResource): number {
    return this.#allotments[limited].used;
  }

  get responses(): ReadonlyMap<string, number> {
    return this.#responses;
  }

  observeDurations(observer: (verb: 'read' | 'write', durationMs: number) => void): void {
    this.#onDuration = observer;
  }

  /** Counts a response by method and status class. @param durationMs undefined for a stream. */
  recordResponse(method: string, status: number, durationMs: number | undefined): void {
    if (durationMs !== undefined) this.#onDuration?.(READING_METHODS.has(method) ? 'read' : 'write', durationMs);
    const key = `${METHODS.has(method) ? method : 'other'} ${Math.floor(status / 100)}xx`;
    this.#responses.set(key, (this.#responses.get(key) ?? 0) + 1);
  }

  /** Counts a rejection or a closed connection. */
  reject(reason: RejectionReason): void {
    this.#rejections.set(reason, (this.#rejections.get(reason) ?? 0) + 1);
  }

  /** Acquires a share of a limited resource for a user; throws 429 over the limit. */
  enter(limited: LimitedResource, user: UserInfo | undefined, amount = 1): Release {
    const holder = holderOf(user);
    const exceededLimit = this.#allotments[limited].exceededLimit(holder, amount);
    if (exceededLimit !== undefined && !(user && isMaster(user))) throw this.#refusal(limited, exceededLimit, holder);
    return this.take(limited, holder, amount);
  }

  /** Counts a running or waiting request; flow control limits the total. Throws 429 at the user's own limit if it is enforced. */
  enterRequest(limited: 'readingRequests' | 'mutatingRequests', user: UserInfo, isBounded: boolean): Release {
    const holder = holderOf(user);
    const isOver = isBounded && this.#allotments[limited].exceededLimit(holder) === 'perHolder';
    if (isOver && !isMaster(user)) throw this.#refusal(limited, 'perHolder', holder);
    return this.take(limited, holder);
  }

  /**
   * Reserves the bytes of a response until it is sent. Throws 429 if the user has other unread responses and the limit
   * is exceeded. A user without unread responses may have one of any size within the total limit, and is never rejected
   * if no other user has unread responses.
   */
  enterResponse(user: UserInfo | undefined, bytes: number): Release {
    const { answerBytes } = this.#allotments;
    const holder = holderOf(user);
    const isFirst = answerBytes.heldBy(holder) === 0;
    const exceededLimit = isFirst
      ? answerBytes.used > 0 && answerBytes.used + bytes > this.limits.maxAnswerBytes && 'total'
      : answerBytes.exceededLimit(holder, bytes);
    if (exceededLimit && !(user && isMaster(user))) throw this.#refusal('answerBytes', exceededLimit, holder);
    return this.take('answerBytes', holder, bytes);
  }

  /** Resolves in an event-loop turn in which no other request starts; users are served round-robin. */
  nextTurn(user: UserInfo | undefined): Promise<void> {
    return this.#turns.enter(holderOf(user));
  }

  /** Acquires a share without checking limits. */
  take(limited: LimitedResource, holder: string, amount = 1): Release {
    const allotment = this.#allotments[limited];
    allotment.take(holder, amount);
    return () => allotment.release(holder, amount);
  }

  /** The limit that another unit would exceed, which counts as a rejection; undefined if there is room. */
  exceededLimit(limited: LimitedResource, holder: string): 'total' | 'perHolder' | undefined {
    const exceededLimit = this.#allotments[limited].exceededLimit(holder);
    if (exceededLimit !== undefined) this.reject(`${limited}.${exceededLimit}`);
    return exceededLimit;
  }

  #refusal(limited: LimitedResource, exceededLimit: 'total' | 'perHolder', holder: string): ApiError {
    this.reject(`${limited}.${exceededLimit}`);
    const { description, [exceededLimit]: field } = SHARED_LIMITS[limited];
    const holderName = exceededLimit === 'total' ? 'all clients together' : nameOf(holder);
    const message = `Too many requests, please try again later: ${holderName} may have ${this.limits[field]} ${description} (${field})`;
    return tooManyRequests(message, RETRY_AFTER_SECONDS);
  }
}

/**
 * The holder that a resource counts against. Service accounts are cheap to create, and a project may have any number of
 * users: the service accounts of a namespace are one holder, and so are the users of a Keystone project.
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
