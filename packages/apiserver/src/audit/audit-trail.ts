import { formatMicroTime } from '@fairway/base/clock';
import { ApiError } from '@fairway/kube/object/api-error';
import type { Authorizer, Decision, UserInfo } from '../auth/user.ts';
import type { ApiResponse } from '../server/request.ts';
import { type ResourcePath, routeOf } from '../server/router.ts';
import {
  type AuditEvent,
  type AuditObjectRef,
  type AuditStatus,
  DRY_RUN_ANNOTATION,
  isDeletion,
  isDryRunOptions,
  OMITTED_ANNOTATION,
  requestsDryRun,
  sourceIPs,
  TRUNCATED_ANNOTATION,
} from './audit-event.ts';
import { type AuditStage, isAtLeast } from './audit-level.ts';
import { type AuditedBody, auditedBody, type BodyContent, type OmittedBody } from './audited-body.ts';
import { namespaceOf, type PolicyRuling } from './policy-rules.ts';

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
export interface AuditedResponse {
  /** HTTP status; undefined if the client disconnected before the response. */
  readonly status: number | undefined;
  /** The failure: an error, or the Status in the response. */
  readonly failure?: ApiError | Failure | undefined;
}

/** The recorded part of a Status. */
interface Failure {
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
  readonly details?: object | undefined;
}

/** Collects what is known about one request, and turns it into one event. */
export class AuditTrail {
  readonly request: AuditedRequest;
  readonly verb: string;
  readonly resource: ResourcePath | undefined;
  readonly #receivedMs: number;
  readonly #rulingOf: (trail: AuditTrail) => PolicyRuling;
  #ruling: PolicyRuling | undefined;
  #requestBody: AuditedBody | undefined;
  #responseBody: AuditedBody | undefined;
  #user: UserInfo | undefined;
  #impersonated: UserInfo | undefined;
  #decision: Decision | undefined;
  /** Whether a deletion is a dry run. Other requests specify this in their query. */
  #isDryRun = false;
  readonly #annotations: Record<string, string> = {};
  #annotationChars = 0;
  #name = '';

  /** @param rulingOf returns the policy's decision; called once, when the user is known or the request is over. */
  constructor(request: AuditedRequest, receivedMs: number, rulingOf: (trail: AuditTrail) => PolicyRuling) {
    this.request = request;
    this.#receivedMs = receivedMs;
    this.#rulingOf = rulingOf;
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

  get ruling(): PolicyRuling {
    this.#ruling ??= this.#rulingOf(this);
    return this.#ruling;
  }

  /** Whether the event includes the response body; call it once the user is known. */
  get wantsResponseBody(): boolean {
    return this.resource !== undefined && isAtLeast(this.ruling.level, 'RequestResponse') && this.verb !== 'watch';
  }

  /**
   * Records the request body. Call it once the user is known. The body is kept only if the event includes it; a
   * deletion's `dryRun` is always recorded.
   */
  recordRequest(body: BodyContent): void {
    this.#isDryRun = isDeletion(this.verb) && this.#isDryRunDeletion(body);
    if (this.resource === undefined || !isAtLeast(this.ruling.level, 'Request')) return;
    this.#requestBody = auditedBody(body, this.ruling);
  }

  #isDryRunDeletion(body: BodyContent): boolean {
    const options = auditedBody(body, { omitManagedFields: false });
    if (options === undefined) return requestsDryRun(this.request.query);
    return 'value' in options && isDryRunOptions(options.value);
  }

  /** Records the response body, if the event includes it. Streams are not recorded. */
  recordResponse(body: BodyContent | ApiResponse['body']): void {
    if (typeof body === 'string' || 'length' in body) this.#responseBody = auditedBody(body, this.ruling);
  }

  /** The authenticated user. */
  setUser(user: UserInfo): void {
    this.#user = user;
  }

  /** The impersonated user. */
  setImpersonatedUser(user: UserInfo): void {
    this.#impersonated = user;
    // The previous decision concerned the impersonation.
    this.#decision = undefined;
  }

  recordDecision(decision: Decision): void {
    this.#decision = decision;
  }

  /** Wraps an authorizer and records its decisions. */
  recordingAuthorizer(authorizer: Authorizer): Authorizer {
    return {
      authorize: async (attributes) => {
        const decision = await authorizer.authorize(attributes);
        this.recordDecision(decision);
        return decision;
      },
    };
  }

  /** Records the name of a created object, which is not in the path. */
  setName(name: string): void {
    this.#name = name;
  }

  /** Only the first value of a key is kept; values from users' admission plugins are truncated. */
  addAnnotation(key: string, value: string): void {
    const chars = key.length + value.length;
    if (key === DRY_RUN_ANNOTATION || Object.hasOwn(this.#annotations, key)) return;
    if (this.#annotationChars + chars > MAX_ANNOTATION_CHARS) return;
    this.#annotationChars += chars;
    this.#annotations[key] = value;
  }

  /** The stage for the single event of a request whose response has `status`. */
  stageOf(status: number | undefined): AuditStage {
    return this.verb === 'watch' && status === 200 ? 'ResponseStarted' : 'ResponseComplete';
  }

  /**
   * @param level the event's level, which determines the bodies that it includes. @param isSecret whether the request's
   * content must not be quoted.
   */
  event(
    { status, failure }: AuditedResponse,
    {
      endedMs,
      level,
      isSecret,
    }: { readonly endedMs: number; readonly level: AuditEvent['level']; readonly isSecret: boolean },
  ): AuditEvent {
    const { auditId, path, query, headers, peer } = this.request;
    const userAgent = headers['user-agent'];
    const sources = sourceIPs(headers, peer);
    const { objects, annotations } = this.#bodies(level);
    return {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level,
      auditID: auditId,
      stage: this.stageOf(status),
      requestURI: query.size === 0 ? path : `${path}?${query.toString()}`,
      verb: this.verb,
      user: this.#user ?? {},
      ...(this.#impersonated && { impersonatedUser: this.#impersonated }),
      ...(sources.length > 0 && { sourceIPs: sources }),
      ...(userAgent !== undefined && { userAgent: String(userAgent) }),
      ...(this.resource && { objectRef: objectRefOf(this.resource, this.#name) }),
      responseStatus: statusOf(status, failure, isSecret),
      ...objects,
      requestReceivedTimestamp: formatMicroTime(this.#receivedMs),
      stageTimestamp: formatMicroTime(endedMs),
      ...((this.#decision || annotations || this.#annotationChars > 0 || this.#isDryRun) && {
        // Annotations of users' admission plugins must not replace the decision.
        annotations: {
          ...this.#annotations,
          ...annotations,
          ...(this.#isDryRun && { [DRY_RUN_ANNOTATION]: 'true' }),
          ...(this.#decision && annotationsOf(this.#decision)),
        },
      }),
    };
  }

  #bodies(level: AuditEvent['level']): {
    readonly objects: Pick<AuditEvent, 'requestObject' | 'responseObject'>;
    readonly annotations?: Readonly<Record<string, string>>;
  } {
    const bodies = {
      requestObject: isAtLeast(level, 'Request') ? this.#requestBody : undefined,
      responseObject: isAtLeast(level, 'RequestResponse') ? this.#responseBody : undefined,
    };
    const objects: Record<string, unknown> = {};
    const omitted: [name: string, why: OmittedBody][] = [];
    for (const [name, body] of Object.entries(bodies)) {
      if (body === undefined) continue;
      if ('omitted' in body) omitted.push([name, body.omitted]);
      else objects[name] = body.value;
    }
    if (omitted.length === 0) return { objects };
    const annotations = {
      [OMITTED_ANNOTATION]: omitted.map(([name, reason]) => `${name}: ${reason}`).join(', '),
      ...(omitted.some(([, reason]) => reason === 'too large') && { [TRUNCATED_ANNOTATION]: 'true' }),
    };
    return { objects, annotations };
  }
}

function objectRefOf(path: ResourcePath, assignedName: string): AuditObjectRef {
  const { group, version, plural, subresource } = path;
  const name = path.name === '' ? assignedName : path.name;
  const namespace = namespaceOf(path);
  return {
    resource: plural,
    ...(namespace !== '' && { namespace }),
    ...(name !== '' && { name }),
    ...(group !== '' && { apiGroup: group }),
    apiVersion: version,
    ...(subresource !== '' && { subresource }),
  };
}

/** Messages and causes quote the request, so they must not be logged if it contains credentials. */
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
