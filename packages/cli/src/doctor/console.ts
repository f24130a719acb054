import { connect } from 'node:tls';
import type { Transport } from '@fairway/kube/client/transport';
import { z } from 'zod';
import { type Finding, ok, warning } from './finding.ts';

const CONSOLE_PATH = '/console/';
/** Headers that a console page sends, and that all of the console's requests require. */
const CONSOLE_HEADERS = { 'x-fairway-console': '1', 'sec-fetch-site': 'same-origin', accept: 'application/json' };

const SessionResponse = z.object({
  options: z.object({ keystone: z.boolean(), singleSignOn: z.array(z.string()).default([]) }),
});

/** What a browser would see. */
export interface ConsoleObservation {
  /** HTTP status of the page. */
  readonly pageStatus: number;
  /** The ways to sign in that it offers; undefined if it returns none. */
  readonly signInMethods?: z.infer<typeof SessionResponse>['options'] | undefined;
  /** Why a browser would reject the certificate with the system's CAs; undefined if it would accept it. */
  readonly certificateError?: string | undefined;
}

export async function observeConsole(transport: Transport, server: string): Promise<ConsoleObservation> {
  const page = await transport.request({ method: 'GET', path: CONSOLE_PATH, headers: { accept: 'text/html' } });
  await page.text();
  if (page.status !== 200) return { pageStatus: page.status };
  const session = await transport.request({ method: 'GET', path: '/console/session', headers: CONSOLE_HEADERS });
  const response = SessionResponse.safeParse(await session.text().then(parsed));
  return { pageStatus: 200, signInMethods: response.data?.options, certificateError: await certificateErrorOf(server) };
}

/** A missing console is not reported: it may be turned off, or the server is an API server behind Fairway's gateway. */
export function consoleFindings(
  { pageStatus, signInMethods, certificateError }: ConsoleObservation,
  server: string,
): readonly Finding[] {
  if (pageStatus === 503) {
    return [
      warning(
        'console',
        'the console is not built',
        'npm run build:console, or console.enabled: false in fairway.yaml',
      ),
    ];
  }
  if (pageStatus !== 200) return [];
  if (signInMethods === undefined) {
    const advice = 'see the log of Fairway; a proxy in front of it must not change Host, Cookie and Sec-Fetch-*';
    return [warning('console', 'the console offers no way to sign in', advice)];
  }
  const by = signInMethods.keystone ? ['Keystone users', ...signInMethods.singleSignOn] : ['tokens alone'];
  const trust = certificateError === undefined ? '' : `; browsers warn of its certificate (${certificateError})`;
  return [ok('console', `${new URL(CONSOLE_PATH, server).href}, for ${by.join(', ')}${trust}`)];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function certificateErrorOf(server: string): Promise<string | undefined> {
  const { hostname, port } = new URL(server);
  return new Promise((resolve) => {
    const host = hostname.replace(/^\[|\]$/g, '');
    const socket = connect({ host, port: Number(port || 443), timeout: 5000 });
    const end = (code: string | undefined) => {
      socket.destroy();
      resolve(code);
    };
    socket.once('secureConnect', () => end(undefined));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    socket.once('timeout', () => end('no answer'));
  });
}
