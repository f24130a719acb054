import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { kubectlMinor, kubectlTooOld } from '@fairway/kube/testing/kubectl';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpsFixture, startHttpsServer } from '../../server/https-server-fixture.ts';

const installed = kubectlMinor !== undefined;
const subresources = kubectlTooOld(24);

describe.skipIf(!installed)(`kubectl${installed ? '' : ' (skipped: kubectl is not installed)'}`, () => {
  let fixture: HttpsFixture;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairway-kubectl-'));
    fixture = await startHttpsServer();
    await fixture.test.namespace();
    await writeFile(join(folder, 'config'), fixture.kubeconfig);
  });

  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  /** Stdout and stderr, plus the exit code if it is not 0. */
  function kubectl(...args: string[]): Promise<string> {
    return new Promise((resolve) => {
      const env = { PATH: process.env['PATH'], KUBECONFIG: join(folder, 'config'), HOME: folder };
      execFile('kubectl', args, { env }, (error, stdout, stderr) => {
        resolve(`${stdout}${stderr}${error === null ? '' : `[${error.code}]`}`);
      });
    });
  }

  async function manifest(name: string, object: object): Promise<string> {
    const file = join(folder, `${name}.json`);
    await writeFile(file, JSON.stringify(object));
    return file;
  }

  function pool(name: string, spec: object): object {
    return { apiVersion: 'example.com/v1', kind: 'Pool', metadata: { name }, spec };
  }

  it('discovers served resources', async () => {
    expect(await kubectl('api-resources', '--no-headers')).toContain(
      'configmaps   cm    v1               true    ConfigMap',
    );
    expect(await kubectl('version')).toMatch(/Server Version: .*v1\.34\.0\+test/);
  });

  it('applies, changes and deletes objects', async () => {
    const file = await manifest('life', pool('life', { replicas: 2, flavor: 'b3-8' }));

    expect(await kubectl('apply', '-f', file)).toContain('pool.example.com/life created');
    expect(await kubectl('apply', '-f', file)).toContain('pool.example.com/life unchanged');
    expect(await kubectl('get', 'pools', '-o', 'wide')).toMatch(/NAME +DESIRED +FLAVOR +AGE\nlife +2 +b3-8 +\d+s/);
    expect(await kubectl('scale', 'pool/life', '--replicas=5')).toContain('scaled');
    expect(await kubectl('get', 'pool', 'life', '-o', 'jsonpath={.spec.replicas}')).toBe('5');
    expect(await kubectl('delete', 'pool', 'life')).toContain('pool.example.com "life" deleted');
    expect(await kubectl('get', 'pool', 'life')).toContain(
      'Error from server (NotFound): pools.example.com "life" not found',
    );
  });

  it.each([
    ['merge', '{"spec":{"flavor":"b3-16"}}'],
    ['json', '[{"op":"replace","path":"/spec/flavor","value":"b3-16"}]'],
  ])('patches with %s', async (type, patch) => {
    await kubectl('apply', '-f', await manifest(type, pool(`patched-${type}`, { flavor: 'b3-8' })));

    expect(await kubectl('patch', 'pool', `patched-${type}`, `--type=${type}`, '-p', patch)).toContain('patched');
    expect(await kubectl('get', 'pool', `patched-${type}`, '-o', 'jsonpath={.spec.flavor}')).toBe('b3-16');
  });

  it('patches built-in kinds strategically', async () => {
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'strategic' }, data: { a: '1' } };
    await kubectl('apply', '-f', await manifest('strategic', map));

    expect(await kubectl('patch', 'configmap', 'strategic', '-p', '{"data":{"b":"2"}}')).toContain('patched');
    expect(await kubectl('get', 'cm', 'strategic', '-o', 'jsonpath={.data}')).toBe('{"a":"1","b":"2"}');
  });

  it('applies server-side, and reports conflicts', async () => {
    const two = await manifest('two', pool('owned', { replicas: 2 }));
    const three = await manifest('three', pool('owned', { replicas: 3 }));

    const first = await kubectl('apply', '--server-side', '-f', two);
    const second = await kubectl('apply', '--server-side', '--field-manager=other', '-f', three);
    const forced = await kubectl(
      'apply',
      '--validate=false',
      '--server-side',
      '--field-manager=other',
      '--force-conflicts',
      '-f',
      three,
    );

    expect(first).toContain('serverside-applied');
    expect(second).toContain('conflict with "kubectl"');
    expect(forced).toContain('serverside-applied');
  });

  it('shows differences and dry runs without writing', async () => {
    await kubectl('apply', '-f', await manifest('dry', pool('dry', { replicas: 1 })));
    const changed = await manifest('changed', pool('dry', { replicas: 4 }));

    expect(await kubectl('diff', '-f', changed)).toMatch(/-  replicas: 1\n\+  replicas: 4/);
    expect(await kubectl('apply', '--dry-run=server', '-f', changed)).toContain('configured (server dry run)');
    expect(await kubectl('get', 'pool', 'dry', '-o', 'jsonpath={.spec.replicas}')).toBe('1');
  });

  it('watches', async () => {
    const env = { PATH: process.env['PATH'], KUBECONFIG: join(folder, 'config'), HOME: folder };
    const child = spawn('kubectl', ['get', 'pools', '-w', '--no-headers'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout });
    const seen = new Promise<string>((resolve) => {
      lines.on('line', (line) => {
        if (line.startsWith('watched ')) resolve(line);
      });
    });

    await kubectl('apply', '-f', await manifest('watched', pool('watched', { replicas: 7 })));

    expect(await seen).toMatch(/^watched +7 +\d+s/);
    child.kill();
  });

  it.skipIf(subresources.isTooOld)(`waits for a condition${subresources.reason}`, async () => {
    await kubectl('apply', '-f', await manifest('awaited', pool('awaited', {})));
    const waiting = kubectl('wait', '--for=condition=Ready', 'pool/awaited', '--timeout=10s');
    const patch = '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}';

    await kubectl('patch', 'pool', 'awaited', '--subresource=status', '--type=merge', '-p', patch);

    expect(await waiting).toContain('pool.example.com/awaited condition met');
  });

  it('creates objects sent as Protobuf', async () => {
    expect(await kubectl('create', 'configmap', 'typed', '--from-literal=x=y')).toContain('configmap/typed created');
    expect(await kubectl('run', 'web', '--image=nginx', '--env=A=b')).toContain('pod/web created');
    expect(await kubectl('get', 'cm', 'typed', '-o', 'jsonpath={.data}')).toBe('{"x":"y"}');
    const containers = await kubectl('get', 'pod', 'web', '-o', 'jsonpath={.spec.containers}');
    expect(JSON.parse(containers)).toMatchObject([{ name: 'web', image: 'nginx', env: [{ name: 'A', value: 'b' }] }]);
    expect(await kubectl('create', 'namespace', 'typed')).toContain('namespace/typed created');
  });

  it('explains and validates with the published schemas', async () => {
    const wrong = await manifest('wrong', pool('wrong', { colour: 'red' }));

    expect(await kubectl('explain', 'pool.spec')).toMatch(
      /KIND: +Pool[\s\S]*flavor\s+<string>[\s\S]*replicas\s+<integer>/,
    );
    expect(await kubectl('apply', '-f', wrong)).toMatch(/unknown field "(spec\.)?colour"/);
  });

  it('describes', async () => {
    await kubectl(
      'apply',
      '--validate=false',
      '-f',
      await manifest('described', pool('described', { flavor: 'b3-8' })),
    );

    expect(await kubectl('describe', 'pool', 'described')).toMatch(/Kind: +Pool[\s\S]*Flavor: +b3-8/);
  });
});
