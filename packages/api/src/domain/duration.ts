/** Parses a duration such as `90s`, `10m` or `1h30m` to milliseconds; throws for anything else. */
export function durationMs(text: string): number {
  const parts = /^(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+)s)?$/.exec(text);
  if (parts === null || text === '') throw new Error(`"${text}" is not a duration such as 90s, 10m or 1h30m`);
  const [, hours = '0', minutes = '0', seconds = '0'] = parts;
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}
