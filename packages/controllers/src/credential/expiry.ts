import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import type { ConditionState } from '@fairway/kube/controller/conditions';

const DAY_MS = 86_400_000;
/** How long before its end a credential says so, and says it again; the last first. */
const NOTICE_DAYS = [1, 7, 30];

/** The condition ExpiresSoon; undefined while there is time, and once it is over. Its message changes with each notice, and with nothing else. */
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

/** When there is something new to say of a credential's end: at the next notice, and at the end; undefined if there is no end, or it is over. */
export function nextNoticeInMs(expiresAt: string | undefined, nowMs: number): number | undefined {
  const leftMs = timeLeft(expiresAt, nowMs);
  if (leftMs <= 0 || !Number.isFinite(leftMs)) return undefined;
  const next = NOTICE_DAYS.findLast((days) => leftMs > days * DAY_MS);
  return leftMs - (next ?? 0) * DAY_MS;
}

/** Whether it ended at a time that was known. */
export function isExpired(expiresAt: string | undefined, nowMs: number): boolean {
  return timeLeft(expiresAt, nowMs) <= 0;
}

/** What the owner of a credential does before it ends, or after. */
export function renewalAdvice({ secretRef }: CloudCredential['spec']): string {
  return `make another ("fairway credential create") and set spec.credentialName of the clusters that use this one, or replace Secret ${secretRef.name}`;
}

function timeLeft(expiresAt: string | undefined, nowMs: number): number {
  const endMs = expiresAt === undefined ? Number.NaN : Date.parse(expiresAt);
  return Number.isNaN(endMs) ? Number.POSITIVE_INFINITY : endMs - nowMs;
}
