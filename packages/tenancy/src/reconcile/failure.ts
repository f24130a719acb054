import { ConditionReason } from '@fairway/api/conditions';
import { FencedError } from '@fairway/base/fence';
import { TransportError } from '@fairway/kube/client/transport';
import { lastFailure, type RetryDecision, retryAtMs } from '@fairway/kube/controller/attempts';
import { type ApiError, isApiError } from '@fairway/kube/object/api-error';
import { cloudProblemOf } from '../cloud/cloud-problem.ts';
import { tenantProblemOf } from '../connection/tenant-problem.ts';
import type { RetryableProblem } from '../problem.ts';
import { ProblemError } from './problem-error.ts';
import { runtimeProblemOf } from './runtime-problem.ts';

/** The component that failed. The reason implies who must act (`actionRequiredBy`). */
export type Party = 'cloud' | 'tenantApi' | 'controlPlaneRuntime' | 'fairwayApi' | 'fairway';

/** A failure of a reconcile phase, as reported to users; stable while its cause is the same. */
export interface Failure extends RetryableProblem {
  readonly party: Party;
  /** Logged, not reported. */
  readonly error: unknown;
}

/** Classifies an error for users, with its retry time. An unknown error is a fault in Fairway. */
export function failureOf(error: unknown, nowMs: number): Failure {
  const problem = problemOf(lastFailure(error), nowMs);
  const untilMs = retryAtMs(error);
  return { error, ...problem, ...(untilMs !== undefined && { retryAfterMs: Math.max(untilMs - nowMs, 0) + 1 }) };
}

function problemOf(error: unknown, nowMs: number): Omit<Failure, 'error'> {
  const cloud = cloudProblemOf(error, nowMs);
  if (cloud) return { party: 'cloud', ...cloud };
  if (error instanceof ProblemError) return { party: 'cloud', ...error.problem };
  const tenant = tenantProblemOf(error);
  if (tenant) return { party: 'tenantApi', ...tenant };
  const runtime = runtimeProblemOf(error);
  if (runtime) return { party: 'controlPlaneRuntime', ...runtime };
  const reason = ConditionReason.InternalError;
  if (isApiError(error)) return { party: 'fairwayApi', reason, message: fairwayApiMessage(error) };
  if (error instanceof TransportError) {
    return { party: 'fairwayApi', reason, message: "Fairway's own API does not respond" };
  }
  const name = error instanceof Error ? error.name : typeof error;
  const message = `internal error (${name}); the operator must check Fairway's log`;
  return { party: 'fairway', reason, message };
}

/** Names that differ between attempts are only in the subject. */
function fairwayApiMessage({ message, subject }: ApiError): string {
  const words = subject?.name ? message.replaceAll(` "${subject.name}"`, '') : message;
  return `Fairway's own API rejected the request: ${words}`;
}

/** Whether the error ends the pass without writing the status. */
export function endsPass(error: unknown): boolean {
  // A conflict means that the cache was stale.
  return error instanceof FencedError || isApiError(error, 'Conflict') || isAbort(error);
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** Retries of operations on a single object: see `Attempts`. */
export function classifyError(error: unknown): RetryDecision | undefined {
  if (endsPass(error)) return undefined;
  const { party, reason, retryAfterMs } = problemOf(error, 0);
  // The operation is still in progress, which is not a failure.
  if (reason === ConditionReason.Provisioning) return undefined;
  return { cause: `${party}/${reason}`, isShared: false, minimumMs: retryAfterMs };
}
