import { InvalidArgumentError } from 'commander';

export interface ListenAddress {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
}

const MAX_PORT = 65_535;

/** Reads `127.0.0.1:8443`, `[::1]:8443`, `localhost:0` and `:8443` (loopback). */
export function parseListenAddress(text: string): ListenAddress {
  const [, bracketed, plain, portText = ''] = /^(?:\[([^\]]+)\]|([^:[\]]*)):([0-9]{1,5})$/.exec(text) ?? [];
  const port = Number(portText);
  if (portText === '' || port > MAX_PORT) {
    throw new InvalidArgumentError('Not HOST:PORT, such as 127.0.0.1:8443, [::1]:8443 or 0.0.0.0:0.');
  }
  return { host: bracketed ?? (plain || '127.0.0.1'), port };
}
