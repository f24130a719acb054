import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { ResourcePath } from '../server/router.ts';
import { type AuditEvent, auditLine } from './audit-event.ts';
import { type AuditLevel, lesserLevel } from './audit-level.ts';
import {
  type AuditAttributes,
  carriesCredentials,
  holdsCredentials,
  isAlwaysAudited,
  isAudited,
  isRefused,
} from './audit-policy.ts';
import { type AuditedRequest, type AuditedResponse, AuditTrail } from './audit-trail.ts';
import type { AuditPolicy, PolicyRuling } from './policy-rules.ts';
import { RefusalBudget } from './refusal-budget.ts';

/** The destination of audit log lines. */
export interface AuditSink {
  /** Never waits and never throws. @param line the event as JSON with truncated strings, without the newline. */
  record(line: string, event: AuditEvent): void;
  /** Counts a line that was dropped because its caller has exceeded its budget. */
  recordSuppressed(): void;
}

export interface AuditorOptions {
  readonly sink: AuditSink;
  /** The operator's policy; the built-in one by default. It does not affect events that are always audited, or content that is never quoted. */
  readonly policy?: AuditPolicy | undefined;
  /** Whether mandatory events are audited regardless of `policy`; true by default. Secret content is never quoted either way. */
  readonly auditsMandatoryEvents?: boolean;
  /** Additional requests that reveal credentials, besides those for Secrets and tokens. */
  readonly isSensitive?: (resource: ResourcePath) => boolean;
  /** Additional POST requests that are only queries, besides reviews. */
  readonly isQuery?: (resource: ResourcePath) => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The built-in policy decides based on the outcome, and logs no bodies. */
const BUILT_IN_RULING: PolicyRuling = { level: 'Metadata', omitStages: new Set(), omitManagedFields: false };

/** Records who requested what, and the outcome; shared by all front ends of Fairway's API. */
export class Auditor {
  readonly #options: AuditorOptions;
  readonly #refusals: RefusalBudget;
  #isSuppressing = false;

  constructor(options: AuditorOptions) {
    this.#options = options;
    this.#refusals = new RefusalBudget(options.clock);
  }

  begin(request: AuditedRequest): AuditTrail {
    return new AuditTrail(request, this.#options.clock.now(), (trail) => this.#rulingOf(trail));
  }

  /** Writes the request's event if it is audited. Must be called once. */
  end(trail: AuditTrail, response: AuditedResponse): void {
    const { verb, resource, user, isImpersonated, request } = trail;
    const facts = {
      verb,
      resource,
      isSensitive: resource !== undefined && this.#isSensitive(resource),
      isQuery: resource !== undefined && this.#options.isQuery?.(resource) === true,
      // A client that disconnects before the response may still have changed something.
      status: response.status ?? 0,
      isKnown: user !== undefined,
      isImpersonated,
      isInProcess: request.peer === undefined,
    };
    const level = this.#levelOf(trail, facts, response);
    if (level === 'None') return;
    if (isRefused(facts) && !this.#refusals.spend(user?.username ?? '')) {
      this.#suppress(user?.username);
      return;
    }
    this.#isSuppressing = false;
    const isSecret = resource !== undefined && this.#isSecret(resource);
    const event = trail.event(response, { endedMs: this.#options.clock.now(), level, isSecret });
    this.#options.sink.record(auditLine(event), event);
  }

  #levelOf(trail: AuditTrail, facts: AuditAttributes, { status }: AuditedResponse): AuditLevel {
    if (this.#options.policy === undefined) return isAudited(facts) ? 'Metadata' : 'None';
    const { level, omitStages } = trail.ruling;
    const effectiveLevel = omitStages.has(trail.stageOf(status)) ? 'None' : level;
    const auditsMandatoryEvents = this.#options.auditsMandatoryEvents ?? true;
    return effectiveLevel === 'None' && auditsMandatoryEvents && isAlwaysAudited(facts) ? 'Metadata' : effectiveLevel;
  }

  #rulingOf({ user, verb, resource, request }: AuditTrail): PolicyRuling {
    const { policy } = this.#options;
    if (policy === undefined) return BUILT_IN_RULING;
    const ruling = policy({ user, verb, resource, path: request.path });
    if (resource === undefined || !this.#isSecret(resource)) return ruling;
    return { ...ruling, level: lesserLevel(ruling.level, 'Metadata') };
  }

  #isSecret(resource: ResourcePath): boolean {
    return carriesCredentials(resource) || this.#isSensitive(resource);
  }

  #isSensitive(resource: ResourcePath): boolean {
    return holdsCredentials(resource) || this.#options.isSensitive?.(resource) === true;
  }

  #suppress(username: string | undefined): void {
    const { sink, log } = this.#options;
    sink.recordSuppressed();
    if (this.#isSuppressing) return;
    this.#isSuppressing = true;
    log.warn({ user: username }, 'too many refused requests for the audit log: some are only counted');
  }
}
