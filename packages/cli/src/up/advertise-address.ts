import { isIP } from 'node:net';
import type { AdvertisedAddress } from '@fairway/service/serve/server-address';
import { InvalidArgumentError } from 'commander';
import { commaList } from '../command/options.ts';

const MAX_PORT = 65_535;
/** RFC 1123, as in a certificate. */
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;
const WILDCARDS = new Set(['0.0.0.0', '::']);

/** Parses `fairway.example.com`, `fairway.example.com:443`, `192.0.2.7`, `[2001:db8::1]:443`. Throws InvalidArgumentError. */
export function parseAdvertiseAddress(text: string): AdvertisedAddress {
  const [, bracketed, plain, portText] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::([0-9]{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? (isIP(text) === 6 ? text : '');
  const port = portText === undefined ? undefined : Number(portText);
  if (!isReachable(host) || port === 0 || (port ?? 1) > MAX_PORT) {
    throw new InvalidArgumentError('Must be HOST or HOST:PORT, such as fairway.example.com or 192.0.2.7:443.');
  }
  return { host, port };
}

/** Parses a name or address for a certificate. Throws InvalidArgumentError. */
export function parseSubjectAltName(text: string): string {
  if (isIP(text) === 0 && !HOST_NAME.test(text)) {
    throw new InvalidArgumentError(`"${text}" is neither a host name nor an IP address.`);
  }
  return text;
}

/** Appends names, separated by commas. Throws InvalidArgumentError. */
export function parseSubjectAltNames(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...commaList(text, []).map(parseSubjectAltName)];
}

function isReachable(host: string): boolean {
  return !WILDCARDS.has(host) && (isIP(host) !== 0 || HOST_NAME.test(host));
}
