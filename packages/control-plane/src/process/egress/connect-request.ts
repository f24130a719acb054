import { isIP } from 'node:net';

/** Target of a CONNECT request. */
export interface Destination {
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
}

const MAX_NAME_LENGTH = 253;
const HOST_NAME_PATTERN = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?$/i;

/** Parses `example.org:443`, `192.0.2.1:443`, `[2001:db8::1]:443`; undefined for anything else. */
export function parseDestination(authority: string | undefined): Destination | undefined {
  const [, bracketed, plain, portText = ''] =
    /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]/@]+)):(\d{1,5})$/i.exec(authority ?? '') ?? [];
  const host = bracketed ?? plain ?? '';
  const port = Number(portText);
  if (port < 1 || port > 65_535) return undefined;
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? { host, port } : undefined;
  if (isIP(host) === 4) return { host, port };
  return host.length <= MAX_NAME_LENGTH && HOST_NAME_PATTERN.test(host) ? { host, port } : undefined;
}
