import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const DECISION = 'docs/decisions/0107-where-text-comes-from.md';
const decision = readFileSync(DECISION, 'utf8');

function sourcesWith(pattern: RegExp): string[] {
  return globSync('packages/*/src/**/*.ts')
    .filter((path) => !/\.test\.ts$|\/testing\/|-fixture\.ts$|^packages\/(simulator|console)\//.test(path))
    .filter((path) => pattern.test(readFileSync(path, 'utf8')))
    .sort();
}

/** A new source of text must be tested with hostile input before it ships; `docs/decisions/0107` lists all sources. */
describe('the page on sources of external text', () => {
  it('lists every file that opens a listener', () => {
    const servers = sourcesWith(/from '(?:node:(?:http|https|http2|net|tls)|ws|@grpc\/grpc-js)'/);
    const opensServer = /\bcreate(?:Secure)?Server\(|\bnew (?:WebSocket)?Server\(/;
    const listeners = servers.filter((path) => opensServer.test(readFileSync(path, 'utf8')));
    expect(listeners.length).toBeGreaterThan(5);
    expect(listeners.filter((path) => !decision.includes(path))).toEqual([]);
  });

  it('lists every dependency', () => {
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object };
    expect(Object.keys(dependencies).filter((name) => !decision.includes(`\`${name}\``))).toEqual([]);
  });

  it("lists every kind that is read from tenants' clusters", () => {
    const files = sourcesWith(/\btenant\.informers\b|\binformers(?:\(\))?\.informer\(|new Informer\(/).filter((path) =>
      /^packages\/(cloud-provider|tenancy)\/|\/(autoscaling\/tenant-caches|in-cluster-pools\/\w|cluster\/(tenant-setup|keystone-users))/.test(
        path,
      ),
    );
    const kinds = files.flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/informer(?:<\w+>)?\((\w+),? ?/g)].map(([, kind = '']) => kind),
    );
    expect(kinds.length).toBeGreaterThan(15);
    expect([...new Set(kinds)].filter((kind) => /^[A-Z]/.test(kind) && !decision.includes(kind))).toEqual([]);
  });
});
