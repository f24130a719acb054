import { isIP } from 'node:net';
import type { ListenAddress } from '@fairway/service/serve/listen-address';
import { InvalidArgumentError } from 'commander';

const MAX_PORT = 65_535;

/** Parses `127.0.0.1:8443`, `[::1]:8443`, `localhost:0` and `:8443` (loopback). */
export function parseListenAddress(text: string): ListenAddress {
  const [, bracketed, plain, portText = ''] = /^(?:\[([^\]]+)\]|([^:[\]]*)):([0-9]{1,5})$/.exec(text) ?? [];
  const port = Number(portText);
  if (portText === '' || port > MAX_PORT) {
    throw new InvalidArgumentError('Must be HOST:PORT, such as 127.0.0.1:8443, [::1]:8443 or 0.0.0.0:0.');
  }
  return { host: bracketed ?? (plain || '127.0.0.1'), port };
}

/** Parses a host's address: `10.0.0.1`, `fd00::1`. */
export function parseIPAddress(text: string): string {
  if (isIP(text) === 0 || text === '0.0.0.0' || text === '::') {
    throw new InvalidArgumentError('Must be the address of one host, such as 10.0.0.1.');
  }
  return text;
}
