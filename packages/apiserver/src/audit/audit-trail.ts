import { formatMicroTime } from '@fairway/base/clock';
import { ApiError } from '@fairway/kube/object/api-error';
import type { Authorizer, Decision, UserInfo } from '../auth/user.ts';
import { type ResourcePath, routeOf } from '../server/router.ts';
import { type AuditEvent, type AuditObjectRef, type AuditStatus, sourceIPs } from './audit-event.ts';

/** A request as received. */
export interface AuditedRequest {
  readonly auditId: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Peer address of the connection; undefined for in-process requests. */
  readonly peer: string | undefined;
}

const MAX_ANNOTATION_CHARS = 16 * 1024;

/** The outcome of a request. */
export interface AuditedAnswer {
  /** HTTP status; undefined if the client disconnected first. */
  readonly status: number | undefined;
  /** The failure: an error, or the Status of the response. */
  readonly failure?: ApiError | Failure | undefined;
}

/** The part of a Status that is kept. */
interface Failure {
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
  readonly details?: object | undefined;
}

/** Collects what is known about one request; results in one event. */
export class AuditTrail {
  readonly request: AuditedRequest;
  readonly verb: string;
  readonly resource: ResourcePath | undefined;
  readonly #receivedMs: number;
  #user: UserInfo | undefined;
  #impersonated: UserInfo | undefined;
  #decision: Decision | undefined;
  readonly #annotations: Record<string, string> = {};
  #annotationChars = 0;
  #name = '';

  constructor(request: AuditedRequest, receivedMs: number) {
    this.request = request;
    this.#receivedMs = receivedMs;
    const route = routeOf(request.method, request.path, request.query);
    this.verb = route.verb;
    this.resource = route.kind === 'resource' ? route.path : undefined;
  }

  get user(): UserInfo | undefined {
    return this.#user;
  }

  get isImpersonated(): boolean {
    return this.#impersonated !== undefined;
  }

  /** The authenticated user. */
  authenticated(user: UserInfo): void {
    this.#user = user;
  }

  /** The impersonated user. */
  impersonates(user: UserInfo): void {
    this.#impersonated = user;
    // The decision was on the impersonation.
    this.#decision = undefined;
  }

  decided(decision: Decision): void {
    this.#decision = decision;
  }

  /** The same authorizer, with its decisions recorded. */
  hearing(authorizer: Authorizer): Authorizer {
    return {
      authorize: async (attributes) => {
        const decision = await authorizer.authorize(attributes);
        this.decided(decision);
        return decision;
      },
    };
  }

  /** The object of a create, which the path does not name. */
  named(name: string): void {
    this.#name = name;
  }

  /** The first value of a key counts; admission plugins of users say as much as they like, and are cut short. */
  annotated(key: string, value: string): void {
    const chars = key.length + value.length;
    if (Object.hasOwn(this.#annotations, key) || this.#annotationChars + chars > MAX_ANNOTATION_CHARS) return;
    this.#annotationChars += chars;
    this.#annotations[key] = value;
  }

  /** @param endedMs epoch milliseconds. @param isSensitive whether content of the request must not be quoted. */
  event({ status, failure }: AuditedAnswer, endedMs: number, isSensitive: boolean): AuditEvent {
    const { auditId, path, query, headers, peer } = this.request;
    const userAgent = headers['user-agent'];
    const sources = sourceIPs(headers, peer);
    return {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'Metadata',
      auditID: auditId,
      stage: this.verb === 'watch' && status === 200 ? 'ResponseStarted' : 'ResponseComplete',
      requestURI: query.size === 0 ? path : `${path}?${query.toString()}`,
      verb: this.verb,
      user: this.#user ?? {},
      ...(this.#impersonated && { impersonatedUser: this.#impersonated }),
      ...(sources.length > 0 && { sourceIPs: sources }),
      ...(userAgent !== undefined && { userAgent: String(userAgent) }),
      ...(this.resource && { objectRef: objectRefOf(this.resource, this.#name) }),
      responseStatus: statusOf(status, failure, isSensitive),
      requestReceivedTimestamp: formatMicroTime(this.#receivedMs),
      stageTimestamp: formatMicroTime(endedMs),
      ...((this.#decision || this.#annotationChars > 0) && {
        // What users' admission plugins say does not stand in place of the decision.
        annotations: { ...this.#annotations, ...(this.#decision && annotationsOf(this.#decision)) },
      }),
    };
  }
}

function objectRefOf(path: ResourcePath, givenName: string): AuditObjectRef {
  const { group, version, plural, subresource } = path;
  const name = path.name === '' ? givenName : path.name;
  // For an existing namespace, the namespace of the request is the namespace itself.
  const namespace = group === '' && plural === 'namespaces' ? path.name : path.namespace;
  return {
    resource: plural,
    ...(namespace !== '' && { namespace }),
    ...(name !== '' && { name }),
    ...(group !== '' && { apiGroup: group }),
    apiVersion: version,
    ...(subresource !== '' && { subresource }),
  };
}

/** Messages and causes quote the request, which must not be logged if it contains credentials. */
function statusOf(code: number | undefined, failure: ApiError | Failure | undefined, isSecret: boolean): AuditStatus {
  if (code === undefined) return { metadata: {}, status: 'Failure', message: 'the client was gone before the answer' };
  if (failure === undefined) return { metadata: {}, code };
  const { message, reason, details } = failure instanceof ApiError ? failure.toStatus() : failure;
  const { causes: _, ...about } = { causes: undefined, ...details };
  return {
    metadata: {},
    status: 'Failure',
    ...(message !== undefined && !isSecret && { message }),
    ...(reason !== undefined && { reason }),
    ...(Object.keys(about).length > 0 && { details: about }),
    code,
  };
}

function annotationsOf({ allowed, reason }: Decision): Record<string, string> {
  return {
    'authorization.k8s.io/decision': allowed ? 'allow' : 'forbid',
    'authorization.k8s.io/reason': reason,
  };
}
