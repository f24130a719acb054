const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** Longer strings are not realistic durations. */
const MAX_LENGTH = 100;
const DURATION_PART = /(\d{1,100}\.?\d{0,100}|\.\d{1,100})([a-zµμ]{1,2})/y;

/** Parses a duration like Go's time.ParseDuration, in milliseconds: `1h`, `1m30s`, `0.5m`, `-2s`. Undefined if invalid. */
export function goDurationMs(text: string): number | undefined {
  const sign = text.startsWith('-') ? -1 : 1;
  const rest = /^[-+]/.test(text) ? text.slice(1) : text;
  if (rest === '0') return 0;
  if (rest === '' || rest.length > MAX_LENGTH) return undefined;
  let total = 0;
  DURATION_PART.lastIndex = 0;
  while (DURATION_PART.lastIndex < rest.length) {
    const [, value, unit = ''] = DURATION_PART.exec(rest) ?? [];
    const factor = Object.hasOwn(UNIT_MS, unit) ? UNIT_MS[unit] : undefined;
    if (value === undefined || factor === undefined) return undefined;
    total += Number(value) * factor;
  }
  return sign * total;
}
