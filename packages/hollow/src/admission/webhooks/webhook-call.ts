import { randomUUID } from 'node:crypto';
import type { Authorizer } from '@fairway/apiserver/auth/user';
import { OutboundError } from '@fairway/apiserver/outbound/outbound-error';
import type { WebhookCaller } from '@fairway/apiserver/outbound/webhook-caller';
import type { AdmissionRequest, WriteInProgress } from '@fairway/apiserver/server/admission';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { ApiError, type StatusCause } from '@fairway/kube/object/api-error';
import { type ReviewResponse, responseOf, reviewOf } from './admission-review.ts';
import type { Match } from './webhook-set.ts';

export interface WebhookCallOptions {
  readonly caller: WebhookCaller;
  /** Checks user permissions for match conditions. */
  readonly authorizer: Authorizer;
  readonly clock: Clock;
  readonly log: Logger;
}

const DEFAULT_TIMEOUT_SECONDS = 10;

/**
 * Calls one webhook. Returns undefined if the call failed and its failurePolicy is Ignore; throws the error for
 * the client if the webhook rejects the request or the call fails otherwise.
 */
export async function callWebhook(
  { caller, clock, log }: WebhookCallOptions,
  request: AdmissionRequest,
  write: WriteInProgress,
  { webhook, version }: Match,
  phase: { readonly type: 'mutating' | 'validating'; readonly round: number },
): Promise<ReviewResponse | undefined> {
  const { hook, index } = webhook;
  const name = JSON.stringify(hook.name);
  const uid = randomUUID();
  const hookTimeoutMs = (hook.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000;
  const timeoutMs = Math.min(hookTimeoutMs, write.deadlineMs - clock.now());
  let response: ReviewResponse | string;
  try {
    const body = await caller.post(hook.clientConfig, await reviewOf(request, write, version, uid), timeoutMs);
    const outcome = responseOf(body, uid, phase.type === 'mutating');
    response = typeof outcome === 'string' ? `received invalid webhook response: ${outcome}` : outcome;
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    response = `failed to call webhook: ${error.message}`;
  }
  if (typeof response !== 'string') return accepted(request, write, hook.name, response);
  const failure = `failed calling webhook ${name}: ${response}`;
  if (write.deadlineMs <= clock.now()) {
    throw new ApiError(504, 'Timeout', 'Timeout: request did not complete within requested timeout');
  }
  if (hook.failurePolicy !== 'Ignore') throw internalError(failure);
  log.warn({ webhook: hook.name, reason: failure }, 'webhook failed, the write continues');
  const key = `failed-open.${phase.type}.webhook.admission.k8s.io/round_${phase.round}_index_${index}`;
  write.annotate(key, hook.name);
  return undefined;
}

function accepted(
  request: AdmissionRequest,
  write: WriteInProgress,
  name: string,
  response: ReviewResponse,
): ReviewResponse {
  for (const [key, value] of Object.entries(response.auditAnnotations ?? {})) write.annotate(`${name}/${key}`, value);
  for (const warning of response.warnings ?? []) request.warn(warning);
  if (response.allowed !== true) throw refusalOf(name, response.status ?? {});
  return response;
}

/** The error from a rejecting webhook, completed as in kube-apiserver. */
export function refusalOf(name: string, status: NonNullable<ReviewResponse['status']>): ApiError {
  const by = `admission webhook ${JSON.stringify(name)} denied the request`;
  const { code, reason, message, details } = status;
  const explanation = message || reason;
  const causes = details?.causes?.map(definedFields) ?? [];
  return ApiError.fromStatus(
    {
      code: (code ?? 0) < 400 ? 400 : (code ?? 400),
      message: explanation ? `${by}: ${explanation}` : `${by} without explanation`,
      ...(reason && { reason }),
      ...(details && {
        details: {
          ...(details.name && { name: details.name }),
          ...(details.group && { group: details.group }),
          ...(details.kind && { kind: details.kind }),
          ...(causes.length > 0 && { causes }),
          ...(details.retryAfterSeconds && { retryAfterSeconds: details.retryAfterSeconds }),
        },
      }),
    },
    400,
  );
}

function definedFields(cause: { readonly [Field in keyof StatusCause]?: string | null | undefined }): StatusCause {
  return Object.fromEntries(Object.entries(cause).filter(([, value]) => typeof value === 'string'));
}

export function internalError(detail: string): ApiError {
  return new ApiError(500, 'InternalError', `Internal error occurred: ${detail}`, {
    subject: {},
    causes: [{ message: detail }],
  });
}
