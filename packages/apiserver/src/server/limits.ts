const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * Limits on unauthenticated clients and tenants of one API server. Per-user limits apply to the effective user, after
 * impersonation. The service accounts of a namespace count as one user, because the namespace's owner can create any
 * number of them, and so do the users of a Keystone project. Members of system:masters are counted, but never rejected
 * by a shared limit: Fairway's controllers must keep working while tenants are at their limits.
 */
export interface ServerLimits {
  /**
   * Open connections. kube-apiserver is limited only by the number of open files; one idle TLS connection costs about
   * 50 KiB here.
   */
  readonly maxConnections: number;
  /**
   * Open connections per user. Over HTTP/2, clients use one connection for all their requests; over HTTP/1.1 they
   * open one for each request.
   */
  readonly maxConnectionsPerUser: number;
  /** Unauthenticated connections, counted separately from users' connections. */
  readonly maxUnauthenticatedConnections: number;
  /**
   * Unauthenticated connections per address. The limit must not be too low: a thousand nodes behind one address may
   * reconnect at once after a restart.
   */
  readonly maxUnauthenticatedConnectionsPerAddress: number;
  /**
   * Pending requests per connection; if there are more, the connection is closed. No Kubernetes client sends a second
   * request before the response.
   */
  readonly maxPipelinedRequests: number;
  /** Time limit from the TCP connection to the end of the TLS handshake; Go's client allows 10 s. */
  readonly handshakeTimeoutMs: number;
  /** Time limit for the head of a request, from its first byte; kube-apiserver allows 32 s (`ReadHeaderTimeout`). */
  readonly headersTimeoutMs: number;
  /** How long a connection may stay unauthenticated. */
  readonly unauthenticatedTimeoutMs: number;
  /** Deadline for reading a body: 3 MiB at 1 Mbit/s takes 25 s. kube-apiserver's `--request-timeout` is 60 s. */
  readonly bodyTimeoutMs: number;
  /**
   * An idle connection is closed after this time. Clients keep their connections for a shorter time (at most 90 s in
   * Go), so they close them first.
   */
  readonly keepAliveTimeoutMs: number;
  /**
   * A connection that stops reading is closed after this time; kube-apiserver ends slow watches only when their backlog
   * is too long.
   */
  readonly stallTimeoutMs: number;
  /** Size of one body: kube-apiserver's `MaxRequestBodyBytes`. */
  readonly maxBodyBytes: number;
  /** Total size of bodies being read or processed; parsing one temporarily takes about ten times its size. */
  readonly maxBodyBytesInFlight: number;
  readonly maxBodyBytesInFlightPerUser: number;
  /**
   * `--max-requests-inflight`. Together with `maxMutatingRequests`, it determines the seats of flow control. Watches
   * are counted separately.
   */
  readonly maxReadingRequests: number;
  /** Running and waiting requests per user; not enforced if FlowSchemas are served. */
  readonly maxReadingRequestsPerUser: number;
  /** `--max-mutating-requests-inflight`. */
  readonly maxMutatingRequests: number;
  readonly maxMutatingRequestsPerUser: number;
  /**
   * Unsent responses, mostly lists. A user's only response may have any size, because an unpaged list is one response.
   */
  readonly maxAnswerBytes: number;
  readonly maxAnswerBytesPerUser: number;
  /** Running watches. kube-apiserver has no such limit; a paused watch costs up to 150 KiB. */
  readonly maxWatches: number;
  readonly maxWatchesPerUser: number;
  /**
   * The backlog of one watcher. Beyond either limit the watch is ended, and its client resumes. Watchers share the text
   * of an event.
   */
  readonly maxWatchBacklogEvents: number;
  readonly maxWatchBacklogBytes: number;
}

export const DEFAULT_LIMITS: ServerLimits = {
  maxConnections: 10_000,
  maxConnectionsPerUser: 2_000,
  maxUnauthenticatedConnections: 2_000,
  maxUnauthenticatedConnectionsPerAddress: 500,
  maxPipelinedRequests: 16,
  handshakeTimeoutMs: 10_000,
  headersTimeoutMs: 15_000,
  unauthenticatedTimeoutMs: 30_000,
  bodyTimeoutMs: 30_000,
  keepAliveTimeoutMs: 90_000,
  stallTimeoutMs: 30_000,
  maxBodyBytes: 3 * MIB,
  maxBodyBytesInFlight: 64 * MIB,
  maxBodyBytesInFlightPerUser: 16 * MIB,
  maxReadingRequests: 400,
  maxReadingRequestsPerUser: 200,
  maxMutatingRequests: 200,
  maxMutatingRequestsPerUser: 100,
  maxAnswerBytes: 256 * MIB,
  maxAnswerBytesPerUser: 64 * MIB,
  maxWatches: 10_000,
  maxWatchesPerUser: 1_000,
  maxWatchBacklogEvents: 10_000,
  maxWatchBacklogBytes: 4 * MIB,
};
