import { connect } from 'node:tls';
import type { Transport } from '@fairway/kube/client/transport';
import { z } from 'zod';
import { type Finding, ok, warning } from './finding.ts';

const CONSOLE = '/console/';
/** As a page of the console asks, which counts for all of its requests. */
const OWN_PAGE = { 'x-fairway-console': '1', 'sec-fetch-site': 'same-origin', accept: 'application/json' };

const Told = z.object({ options: z.object({ keystone: z.boolean(), singleSignOn: z.array(z.string()).default([]) }) });

/** What a browser would meet. */
export interface ConsoleObservation {
  /** Of its page. */
  readonly pageStatus: number;
  /** What it says of ways to sign in; undefined if it does not say. */
  readonly ways?: z.infer<typeof Told>['options'] | undefined;
  /** Why a browser would not trust the certificate by what the system trusts; undefined if it would. */
  readonly distrust?: string | undefined;
}

export async function observeConsole(transport: Transport, server: string): Promise<ConsoleObservation> {
  const page = await transport.request({ method: 'GET', path: CONSOLE, headers: { accept: 'text/html' } });
  await page.text();
  if (page.status !== 200) return { pageStatus: page.status };
  const session = await transport.request({ method: 'GET', path: '/console/session', headers: OWN_PAGE });
  const told = Told.safeParse(await session.text().then(parsed));
  return { pageStatus: 200, ways: told.data?.options, distrust: await distrustOf(server) };
}

/** Nothing is said of a console that is not there: it may be turned off, or an API server behind Fairway's gateway is asked. */
export function consoleFindings(
  { pageStatus, ways, distrust }: ConsoleObservation,
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
  if (ways === undefined) {
    const advice = 'see the log of Fairway; a proxy in front of it must not change Host, Cookie and Sec-Fetch-*';
    return [warning('console', 'the console offers no way to sign in', advice)];
  }
  const by = ways.keystone ? ['Keystone users', ...ways.singleSignOn] : ['tokens alone'];
  const trust = distrust === undefined ? '' : `; browsers warn of its certificate (${distrust})`;
  return [ok('console', `${new URL(CONSOLE, server).href}, for ${by.join(', ')}${trust}`)];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function distrustOf(server: string): Promise<string | undefined> {
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
