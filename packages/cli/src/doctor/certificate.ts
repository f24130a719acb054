import { type Finding, ok, problem, warning } from './finding.ts';

const DAY_MS = 86_400_000;
/** Fairway's own certificates are valid for a year and renewed at every start. */
const SOON_MS = 30 * DAY_MS;

/** Checks that a certificate is not about to expire. */
export function certificateFinding(check: string, validTo: string, nowMs: number, advice: string): Finding {
  const endsMs = Date.parse(validTo);
  const ends = new Date(endsMs).toISOString().slice(0, 10);
  if (endsMs <= nowMs) return problem(check, `expired on ${ends}`, advice);
  const days = Math.floor((endsMs - nowMs) / DAY_MS);
  if (endsMs - nowMs < SOON_MS) return warning(check, `expires in ${days} days, on ${ends}`, advice);
  return ok(check, `valid until ${ends}`);
}
