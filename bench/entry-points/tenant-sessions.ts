import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { HttpsTransport, type HttpsTransportOptions } from '@fairway/kube/client/https-transport';
import type { Transport, TransportRequest } from '@fairway/kube/client/transport';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import type { EntryPoint } from './measure-load.ts';

/** The entry in clouds.yaml of the user who sends the requests. */
export const TENANT = 'simulator';

/** Headers of every request that a console page sends. */
const SAME_ORIGIN_HEADERS = { 'x-fairway-console': '1', 'sec-fetch-site': 'same-origin' };

/** Returns the project and tokens of the tenant, each token from a separate login. */
export async function tenantTokens(
  cloudsFile: string,
  count: number,
): Promise<{ readonly tokens: readonly string[]; readonly projectId: string }> {
  const cloudOptions = { clock: systemClock, random: Math.random, log: silentLogger };
  const cloud = openCloud(readCloudsYaml(cloudsFile), TENANT, cloudOptions);
  try {
    const tokens: string[] = [];
    for (let index = 0; index < count; index++) tokens.push((await cloud.client().session.renew()).id);
    return { tokens, projectId: await cloud.client().session.projectId() };
  } finally {
    await cloud.close();
  }
}

export interface EntryPointOptions extends Pick<EntryPoint, 'name' | 'pids'> {
  readonly server: Pick<HttpsTransportOptions, 'server' | 'certificateAuthority' | 'clientCertificate'>;
  readonly path: string;
}

/** Creates an entry point whose sessions authenticate with headers, or with the client certificate alone. */
export function newEntryPoint(
  { name, pids, server, path }: EntryPointOptions,
  headers: readonly Readonly<Record<string, string>>[],
): EntryPoint & { close(): void } {
  const transport = new HttpsTransport(server);
  const requests = headers.map((own): TransportRequest => ({ method: 'GET', path, headers: own }));
  const sendRequest = async (session: number) => {
    const request = requests[session % requests.length];
    if (request === undefined) throw new Error(`${name} has no session`);
    const { status, text } = await fetchResponse(transport, request);
    if (status !== 200) throw new Error(`${name}: ${status} ${text}`);
  };
  return { name, pids, sendRequest, close: () => transport.close() };
}

/** Returns cookies of the console, each from a separate sign-in. */
export async function consoleCookies(
  server: EntryPointOptions['server'],
  cloudsFile: string,
  count: number,
): Promise<readonly Readonly<Record<string, string>>[]> {
  const { credential } = readCloudsYaml(cloudsFile).get(TENANT);
  if (credential.kind !== 'password') throw new Error(`${TENANT} has no password`);
  const transport = new HttpsTransport(server);
  const sessionHeaders: Readonly<Record<string, string>>[] = [];
  for (let index = 0; index < count; index++) {
    const { status, text, headers } = await fetchResponse(transport, {
      method: 'POST',
      path: '/console/session',
      headers: { ...SAME_ORIGIN_HEADERS, 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'password', username: 'demo', domain: 'Default', password: credential.password }),
    });
    if (status >= 300) throw new Error(`signing in at the console: ${status} ${text}`);
    const [cookie = ''] = (headers['set-cookie'] ?? '').split(';');
    sessionHeaders.push({ ...SAME_ORIGIN_HEADERS, cookie });
  }
  transport.close();
  return sessionHeaders;
}

export async function fetchResponse(transport: Transport, request: TransportRequest) {
  const response = await transport.request(request);
  return { status: response.status, headers: response.headers, text: await response.text() };
}
