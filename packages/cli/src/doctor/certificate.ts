import { type Finding, ok, problem, warning } from './finding.ts';

const DAY_MS = 86_400_000;
/** Fairway's own certificates are valid for a year and renewed at every start. */
const EXPIRY_WARNING_MS = 30 * DAY_MS;

/** Checks that a certificate is not about to expire. */
export function certificateFinding(check: string, validTo: string, nowMs: number, advice: string): Finding {
  const expiresAtMs = Date.parse(validTo);
  const ends = new Date(expiresAtMs).toISOString().slice(0, 10);
  if (expiresAtMs <= nowMs) return problem(check, `expired on ${ends}`, advice);
  const days = Math.floor((expiresAtMs - nowMs) / DAY_MS);
  if (expiresAtMs - nowMs < EXPIRY_WARNING_MS) return warning(check, `expires in ${days} days, on ${ends}`, advice);
  return ok(check, `valid until ${ends}`);
}
