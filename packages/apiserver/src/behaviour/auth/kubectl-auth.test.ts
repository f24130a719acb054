import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@fairway/base/clock';
import { createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { createCertificateRequest } from '@fairway/kube/pki/certificate-request';
import { generateKeyPair } from '@fairway/kube/pki/key-pair';
import { kubectlMinor, kubectlTooOld } from '@fairway/kube/testing/kubectl';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AuthServer } from '../../auth/auth-server-fixture.ts';

const whoami = kubectlTooOld(28);

describe.skipIf(kubectlMinor === undefined)('kubectl over TLS (skipped if it is not installed)', () => {
  let fixture: AuthServer;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubectl-auth-'));
    fixture = await AuthServer.start();
    await save('root', await fixture.kubeconfig('root', ['system:masters']));
    await save('alice', await fixture.kubeconfig('alice', ['dev']));
    await kubectl('root', 'create', 'rolebinding', 'alice', '--clusterrole=edit', '--user=alice');
    await kubectl('root', 'create', 'serviceaccount', 'robot');
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  async function save(name: string, content: string): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, content);
    return path;
  }

  /** kubectl's stdout and stderr. */
  function kubectl(who: string, ...args: string[]): Promise<string> {
    const env = { PATH: process.env['PATH'], KUBECONFIG: join(folder, who), HOME: folder };
    return new Promise((resolve) => {
      execFile('kubectl', args, { env }, (_error, stdout, stderr) => resolve(`${stdout}${stderr}`.trim()));
    });
  }

  test.skipIf(whoami.isTooOld)(`auth whoami shows the user${whoami.reason}`, async () => {
    const output = await kubectl('alice', 'auth', 'whoami');
    expect(output).toMatch(/Username +alice/);
    expect(output).toMatch(/Groups +\[dev system:authenticated\]/);
    expect(output).toMatch(/credential-id +\[X509SHA256=[0-9a-f]{64}\]/);
  });

  test.each([
    ['alice', ['create', 'deployments'], 'yes'],
    ['alice', ['create', 'deployments', '-n', 'bank'], 'no'],
    ['alice', ['get', 'pods', '--subresource=log'], 'yes'],
    ['alice', ['create', 'rolebindings'], 'no'],
    ['alice', ['get', '/metrics'], 'no'],
    ['root', ['*', '*', '--all-namespaces'], 'yes'],
    ['root', ['list', 'pods', '--as=alice', '-n', 'bank'], 'no'],
    ['root', ['list', 'pods', '--as=system:node:n1', '--as-group=system:nodes'], 'no'],
  ])('%s: auth can-i %j: %s', async (who, question, output) => {
    expect((await kubectl(who, 'auth', 'can-i', ...question)).split('\n').at(-1)).toContain(output);
  });

  test('auth can-i --list', async () => {
    const output = await kubectl('alice', 'auth', 'can-i', '--list');
    expect(output).toMatch(
      /deployments\.apps +\[\] +\[\] +\[create delete deletecollection patch update get list watch\]/,
    );
    expect(output).toMatch(/\[\/version\/?\]/);
  });

  test('a denial has the same message as in kube-apiserver', async () => {
    expect(await kubectl('alice', 'get', 'pods', '-n', 'bank')).toBe(
      'Error from server (Forbidden): pods is forbidden: User "alice" cannot list resource "pods" in API group "" in the namespace "bank"',
    );
    expect(await kubectl('alice', 'get', 'pods', '--as=root')).toContain('cannot impersonate resource "users"');
  });

  test.skipIf(whoami.isTooOld)(
    `create token returns a token that authenticates as the account until the account is deleted${whoami.reason}`,
    async () => {
      const token = await kubectl('alice', 'create', 'token', 'robot', '--duration=10m');
      expect(token.split('.')).toHaveLength(3);
      await save('robot', await fixture.tokenKubeconfig(token));
      expect(await kubectl('robot', 'auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}')).toBe(
        'system:serviceaccount:shop:robot',
      );
      await kubectl('root', 'delete', 'serviceaccount', 'robot');
      expect(await kubectl('robot', 'auth', 'whoami')).toMatch(/Unauthorized|must be logged in/);
    },
  );

  test('a certificate from another cluster is rejected', async () => {
    const clock = systemClock;
    const other = await createCertificateAuthority({ commonName: 'kubernetes', clock, validityMs: 3_600_000 });
    await save('foreign', await fixture.kubeconfig('root', ['system:masters'], other));
    expect(await kubectl('foreign', 'get', 'pods')).toMatch(/Unauthorized|must be logged in/);
  });

  test('certificate approve and deny make the decision on requests', async () => {
    for (const name of ['good', 'bad']) {
      const request = await createCertificateRequest({
        commonName: name,
        organizations: [],
        keys: await generateKeyPair(),
      });
      const manifest = {
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { name },
        spec: {
          request: Buffer.from(request).toString('base64'),
          signerName: 'kubernetes.io/kube-apiserver-client',
          expirationSeconds: 86_400,
          usages: ['client auth'],
        },
      };
      await kubectl('root', 'create', '--validate=false', '-f', await save(`${name}.json`, JSON.stringify(manifest)));
    }
    expect(await kubectl('root', 'certificate', 'approve', 'good')).toContain('approved');
    expect(await kubectl('root', 'certificate', 'deny', 'bad')).toContain('denied');
    const table = await kubectl('root', 'get', 'csr');
    expect(table).toMatch(/bad +\S+ +kubernetes\.io\/kube-apiserver-client +root +24h +Denied/);
    expect(table).toMatch(/good +\S+ +kubernetes\.io\/kube-apiserver-client +root +24h +Approved/);
  });

  test('roles cannot be used to escalate privileges', async () => {
    await kubectl('root', 'create', 'rolebinding', 'alice-admin', '--clusterrole=admin', '--user=alice');
    const escalation = await kubectl('alice', 'create', 'role', 'all', '--verb=*', '--resource=nodes');
    expect(escalation).toContain('is attempting to grant RBAC permissions not currently held');
    expect(
      await kubectl('alice', 'create', 'rolebinding', 'up', '--clusterrole=cluster-admin', '--user=alice'),
    ).toContain('forbidden');
    expect(await kubectl('alice', 'create', 'rolebinding', 'down', '--clusterrole=view', '--user=bob')).toContain(
      'created',
    );
  });
});
