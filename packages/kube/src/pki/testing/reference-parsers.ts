import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';
import { canonicalIp } from '../subject.ts';

const texts = z.array(z.string());
const GoResult = z.union([
  z.object({ error: z.string() }),
  z.object({
    commonName: z.string(),
    organizations: texts,
    others: z.number(),
    dnsNames: texts,
    ipAddresses: texts,
    emailAddresses: texts,
    uris: texts,
  }),
]);
export type GoResult = z.infer<typeof GoResult>;

export function isInstalled(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args).status === 0;
}

/** Builds the parser of testbed/x509 into a directory; returns its path. */
export function buildGoParser(directory: string): string {
  const path = join(directory, 'read-requests');
  const environment = { ...process.env, GOPROXY: 'off', GOFLAGS: '', GOTOOLCHAIN: 'local' };
  const cwd = new URL('../../../../../testbed/x509/', import.meta.url);
  execFileSync('go', ['build', '-o', path, '.'], { cwd, env: environment, stdio: 'pipe' });
  return path;
}

/** Go's result for each request, in order. */
export function parseWithGo(reader: string, pems: readonly string[]): GoResult[] {
  const input = pems.map((pem) => `${JSON.stringify(Buffer.from(pem, 'latin1').toString('base64'))}\n`).join('');
  const output = execFileSync(reader, { input, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });
  return output
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => GoResult.parse(JSON.parse(line)));
}

/** Subject and names as `openssl req` prints them; undefined if it can't parse or verify the request. */
export function parseWithOpenssl(
  pem: string,
): { readonly subject: string; readonly names: readonly string[] } | undefined {
  const options = ['-noout', '-verify', '-subject', '-text', '-nameopt', 'sep_comma_plus,utf8,sname'];
  const { status, stdout } = spawnSync('openssl', ['req', ...options], {
    input: Buffer.from(pem, 'latin1'),
    encoding: 'utf8',
  });
  if (status !== 0) return undefined;
  const lines = stdout.split('\n');
  const subject = lines.find((line) => line.startsWith('subject='))?.slice('subject='.length) ?? '';
  const at = lines.findIndex((line) => line.trim().startsWith('X509v3 Subject Alternative Name'));
  const names = at < 0 ? [] : (lines[at + 1] ?? '').trim().split(', ').map(nameOf);
  return { subject, names };
}

function nameOf(text: string): string {
  const address = /^IP Address:(.*)$/.exec(text)?.[1];
  return address === undefined ? text : `IP Address:${canonicalIp(address)}`;
}
