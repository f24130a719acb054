/** Parses a time from an OpenStack service; undefined if it is missing or not a time. */
export function cloudTimeMs(text: string | null | undefined): number | undefined {
  const ms = Date.parse(withTimeZone(text ?? ''));
  return Number.isNaN(ms) ? undefined : ms;
}

/** All services use UTC: Nova, Neutron and Glance append Z, Cinder and Octavia nothing, Keystone not always. */
export function withTimeZone(text: string): string {
  return /(?:Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`;
}
