const DURATION_UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `1m30s` → 90000; undefined if it is not a duration. */
export function parseDurationMs(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return text === '0' ? 0 : undefined;
  let sumMs = 0;
  // oxlint-disable-next-line fairway/linear-regexps -- whose every part matches, as the expression above says
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    sumMs += Number(amount) * (DURATION_UNITS_MS[unit ?? ''] ?? 0);
  }
  return sumMs;
}
