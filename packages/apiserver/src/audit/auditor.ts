import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { ResourcePath } from '../server/router.ts';
import { auditLine } from './audit-event.ts';
import { holdsCredentials, isAudited, isRefused } from './audit-policy.ts';
import { type AuditedAnswer, type AuditedRequest, AuditTrail } from './audit-trail.ts';
import { RefusalBudget } from './refusal-budget.ts';

/** The destination of audit log lines. */
export interface AuditSink {
  /** Never waits and never throws. @param line without the newline. */
  record(line: string): void;
  /** Counts a line that is dropped because its caller exceeded the budget. */
  suppressed(): void;
}

export interface AuditorOptions {
  readonly sink: AuditSink;
  /** What besides Secrets and tokens reveals credentials. */
  readonly isSensitive?: (resource: ResourcePath) => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

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
    return new AuditTrail(request, this.#options.clock.now());
  }

  /** Writes the request's event, if it is audited. To be called once. */
  end(trail: AuditTrail, answer: AuditedAnswer): void {
    const { verb, resource, user, isImpersonated, request } = trail;
    const isSensitive = resource !== undefined && this.#isSensitive(resource);
    const facts = {
      verb,
      resource,
      isSensitive,
      // A client that disconnects before the response may still have changed something.
      status: answer.status ?? 0,
      isKnown: user !== undefined,
      isImpersonated,
      isInProcess: request.peer === undefined,
    };
    if (!isAudited(facts)) return;
    if (isRefused(facts) && !this.#refusals.spend(user?.username ?? '')) {
      this.#suppress(user?.username);
      return;
    }
    this.#isSuppressing = false;
    this.#options.sink.record(auditLine(trail.event(answer, this.#options.clock.now(), isSensitive)));
  }

  #isSensitive(resource: ResourcePath): boolean {
    return holdsCredentials(resource) || this.#options.isSensitive?.(resource) === true;
  }

  #suppress(username: string | undefined): void {
    const { sink, log } = this.#options;
    sink.suppressed();
    if (this.#isSuppressing) return;
    this.#isSuppressing = true;
    log.warn({ user: username }, 'too many refused requests for the audit log: some are only counted');
  }
}
