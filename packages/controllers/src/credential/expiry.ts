import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import type { ConditionState } from '@fairway/kube/controller/conditions';

const DAY_MS = 86_400_000;
/** How long before expiry a credential reports it; the last notice comes first. */
const NOTICE_DAYS = [1, 7, 30];

/**
 * The condition ExpiresSoon; undefined before the first notice, and after expiry. Its message changes only with each
 * notice.
 */
export function expiryCondition(
  { spec, status }: Pick<CloudCredential, 'spec' | 'status'>,
  nowMs: number,
): ConditionState | undefined {
  const leftMs = timeLeft(status?.expiresAt, nowMs);
  const days = NOTICE_DAYS.find((each) => leftMs <= each * DAY_MS);
  if (days === undefined || leftMs <= 0) return undefined;
  const when = `it expires within ${days === 1 ? 'a day' : `${days} days`}, at ${status?.expiresAt}`;
  const message = `${when}; ${renewalAdvice(spec)}`;
  return {
    type: ConditionType.ExpiresSoon,
    status: 'True',
    reason: ConditionReason.CredentialExpiresSoon,
    message,
  };
}

/**
 * When the report about a credential's expiry will change next: at the next notice, or at expiry; undefined if it never
 * expires, or has expired.
 */
export function nextNoticeInMs(expiresAt: string | undefined, nowMs: number): number | undefined {
  const leftMs = timeLeft(expiresAt, nowMs);
  if (leftMs <= 0 || !Number.isFinite(leftMs)) return undefined;
  const next = NOTICE_DAYS.findLast((days) => leftMs > days * DAY_MS);
  return leftMs - (next ?? 0) * DAY_MS;
}

/** Whether the credential expired at a known time. */
export function isExpired(expiresAt: string | undefined, nowMs: number): boolean {
  return timeLeft(expiresAt, nowMs) <= 0;
}

/** What the owner of a credential must do before or after it expires. */
export function renewalAdvice({ secretRef }: CloudCredential['spec']): string {
  return `create another one ("fairway credential create NAME --cloud CLOUD") and set spec.credentialName of the clusters that use this one, or replace Secret ${secretRef.name}`;
}

function timeLeft(expiresAt: string | undefined, nowMs: number): number {
  const endMs = expiresAt === undefined ? Number.NaN : Date.parse(expiresAt);
  return Number.isNaN(endMs) ? Number.POSITIVE_INFINITY : endMs - nowMs;
}
