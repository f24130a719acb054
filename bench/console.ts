import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import type { Browser, Page } from 'playwright-core';
import { hasBrowser, launchBrowser, newBrowserContext } from '../tests/console/browser.ts';
import type { ConsoleServerReady } from './console/server.ts';
import { type Figure, formatFigures } from './figures.ts';

const CLUSTERS = 1_000;
const MACHINES = 10_000;
const BROWSERS = 200;
const WATCHES_PER_BROWSER = 4;
const REQUESTS = 3_000;
const CONCURRENCY = 16;
const KIB = 1024;
const SAME_ORIGIN_HEADERS = { 'x-fairway-console': '1', 'sec-fetch-site': 'same-origin' };

/**
 * Measures the console with 1,000 clusters and 10,000 machines: how long users wait, and what each browser costs the
 * server.
 */
export async function benchConsole(print: (text: string) => void): Promise<void> {
  const child = fork(join(import.meta.dirname, 'console/server.ts'), [String(CLUSTERS), String(MACHINES)], {
    execArgv: ['--expose-gc'],
  });
  try {
    const [server] = (await once(child, 'message')) as [ConsoleServerReady];
    const heap = async () => {
      child.send('heap');
      const [bytes] = (await once(child, 'message')) as [number];
      return bytes;
    };
    const figures: Figure[] = [
      ...(await requestFigures(server)),
      ...(await listFigures(server)),
      ...(await watchFigures(server, heap)),
    ];
    if (hasBrowser) figures.push(...(await viewFigures(server)));
    else print('no /usr/bin/chromium: views are not measured\n');
    print(formatFigures(`The console, ${CLUSTERS} clusters and ${MACHINES} machines`, figures));
  } finally {
    child.send('end');
  }
}

async function signIn({ url, authority, password }: ConsoleServerReady) {
  const transport = new HttpsTransport({ server: url, certificateAuthority: authority });
  const response = await transport.request({
    method: 'POST',
    path: '/console/session',
    headers: { ...SAME_ORIGIN_HEADERS, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'password', username: 'demo', domain: 'Default', password }),
  });
  await response.text();
  const [cookie = ''] = (response.headers['set-cookie'] ?? '').split(';');
  return { transport, headers: { ...SAME_ORIGIN_HEADERS, cookie } };
}

/** Measures requests for one small object with the session cookie, whose token is looked up in a cache. */
async function requestFigures(server: ConsoleServerReady): Promise<Figure[]> {
  const { transport, headers } = await signIn(server);
  const path = `/apis/fairway.dev/v1alpha1/namespaces/${server.namespace}/clusters/cluster-1`;
  let remaining = REQUESTS;
  const worker = async () => {
    while (remaining-- > 0) await (await transport.request({ method: 'GET', path, headers })).text();
  };
  await worker();
  remaining = REQUESTS;
  const startMs = performance.now();
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  const seconds = (performance.now() - startMs) / 1000;
  transport.close();
  return [{ name: 'requests through the cookie', unit: '1/s', value: REQUESTS / seconds }];
}

const REPRESENTATIONS = [
  { name: 'whole', accept: 'application/json' },
  { name: 'whole, not compressed', accept: 'application/json', encoding: 'identity' },
  { name: 'as tables', accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  { name: 'metadata alone', accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' },
] as const;

/** Measures how a browser loads all objects of a kind, page by page like the console. */
async function listFigures(server: ConsoleServerReady): Promise<Figure[]> {
  const { transport, headers } = await signIn(server);
  transport.close();
  const figures: Figure[] = [];
  for (const plural of ['clusters', 'machines']) {
    for (const { name, accept, ...representation } of REPRESENTATIONS) {
      const encoding = 'encoding' in representation ? representation.encoding : 'gzip';
      const value = await bytesOf(server, plural, { ...headers, accept, 'accept-encoding': encoding });
      figures.push({ name: `bytes of all ${plural}, ${name}`, unit: 'KiB', value: value / KIB });
    }
  }
  return figures;
}

async function bytesOf(
  { url, authority, namespace }: ConsoleServerReady,
  plural: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  let bytes = 0;
  let token: string | undefined;
  do {
    const query = new URLSearchParams({ limit: '500', ...(token !== undefined && { continue: token }) });
    const address = new URL(`/apis/fairway.dev/v1alpha1/namespaces/${namespace}/${plural}?${query.toString()}`, url);
    const request = get(address, { ca: authority, headers });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    bytes += body.length;
    const text = response.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    token = (JSON.parse(text.toString()) as { readonly metadata: { readonly continue?: string } }).metadata.continue;
  } while (token !== undefined && token !== '');
  return bytes;
}

async function watchFigures(server: ConsoleServerReady, heap: () => Promise<number>): Promise<Figure[]> {
  const path = `/apis/fairway.dev/v1alpha1/namespaces/${server.namespace}`;
  const paths = ['clusters', 'machines', 'nodepools', 'cloudcredentials'].slice(0, WATCHES_PER_BROWSER);
  const open = async () => {
    const { transport, headers } = await signIn(server);
    const version = await transport.request({ method: 'GET', path: `${path}/nodepools`, headers });
    const { metadata } = JSON.parse(await version.text()) as { metadata: { resourceVersion: string } };
    const watches = paths.map((plural, id) => ({
      id,
      path: `${path}/${plural}?watch=true&allowWatchBookmarks=true&resourceVersion=${metadata.resourceVersion}`,
    }));
    const stream = await transport.request({
      method: 'POST',
      path: '/console/watches',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ watches }),
      isWatch: true,
    });
    if (stream.status !== 200) throw new Error(await stream.text());
    return transport;
  };
  // The first connections allocate shared memory.
  const transports = [await open(), await open()];
  const before = await heap();
  for (let count = 0; count < BROWSERS; count++) transports.push(await open());
  const after = await heap();
  for (const transport of transports) transport.close();
  const value = (after - before) / BROWSERS / KIB;
  const goal = { kind: 'at-most', value: 100 } as const;
  return [{ name: `memory of the server for a browser with ${WATCHES_PER_BROWSER} watches`, unit: 'KiB', value, goal }];
}

async function viewFigures({ url, password }: ConsoleServerReady): Promise<Figure[]> {
  const browser = await launchBrowser();
  try {
    const page = await signInWith(browser, url, password);
    const first = await measureMs(async () => {
      await page.reload();
      await page.getByText('cluster-0', { exact: true }).waitFor();
    });
    const searchClusters = await measureMs(async () => {
      await page.getByRole('textbox').fill('cluster-999');
      await page.getByText('1 of 1,000 shown').waitFor();
    });
    const allMachines = await measureMs(async () => {
      await page.getByRole('link', { name: 'Machines' }).click();
      await page.getByRole('button', { name: 'All 10,000' }).waitFor();
    });
    const searchMachines = await measureMs(async () => {
      await page.getByRole('textbox').fill('cluster-77-');
      await page.getByText('10 of 10,000 shown').waitFor();
    });
    await page.getByRole('textbox').fill('');
    await page.getByRole('button', { name: 'All 10,000' }).waitFor();
    const longestMs = await page.evaluate<number>(SCROLL);
    return [
      { name: 'first view, files in the cache', unit: 'ms', value: first, goal: { kind: 'at-most', value: 1_000 } },
      { name: 'cluster search until the result is shown', unit: 'ms', value: searchClusters },
      { name: 'all machines listed', unit: 'ms', value: allMachines },
      { name: 'machine search until the result is shown', unit: 'ms', value: searchMachines },
      { name: 'longest time between two frames while scrolling', unit: 'ms', value: longestMs },
    ];
  } finally {
    await browser.close();
  }
}

async function signInWith(browser: Browser, url: string, password: string): Promise<Page> {
  const page = await (await newBrowserContext(browser)).newPage();
  await page.goto(`${url}/console/`);
  await page.locator('#username').fill('demo');
  await page.locator('#password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByText('cluster-0', { exact: true }).waitFor();
  return page;
}

async function measureMs(work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/** Scrolls the table to its end in two seconds, and returns the longest time between two frames. */
const SCROLL = `new Promise((resolve) => {
  const table = document.querySelector('.fw-table');
  const began = performance.now();
  let last = began;
  let longest = 0;
  const step = (now) => {
    longest = Math.max(longest, now - last);
    last = now;
    const done = (now - began) / 2000;
    if (done >= 1) return resolve(longest);
    table.scrollTop = table.scrollHeight * done;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;
