export function isMicroversion(text: string): boolean {
  return /^\d{1,6}\.\d{1,6}$/.test(text);
}

/** Microversions are pairs of numbers: 2.9 is older than 2.10. */
export function compareMicroversions(a: string, b: string): number {
  const [aMajor = 0, aMinor = 0] = a.split('.').map(Number);
  const [bMajor = 0, bMinor = 0] = b.split('.').map(Number);
  return aMajor - bMajor || aMinor - bMinor;
}

/** The highest microversion that the service supports and that is not above `wanted`. */
export function negotiateMicroversion(
  wanted: string,
  range: { readonly min: string; readonly max: string } | undefined,
): string | undefined {
  if (range === undefined) return undefined;
  return compareMicroversions(wanted, range.max) <= 0 ? wanted : range.max;
}
