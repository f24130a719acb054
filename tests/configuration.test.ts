import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { systemClock } from '@fairway/base/clock';
import { loadKubeConnection } from '@fairway/kube/client/kubeconfig-loader';
import { createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';
import { dump } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RunningFairway, run } from './session/running-fairway.ts';

const HOUR_MS = 3_600_000;
const KIB = 1024;

describe('a Fairway with one configuration file', () => {
  let folder: string;
  let authority: string;
  let fairway: RunningFairway;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairway-configured-'));
    const ca = await createCertificateAuthority({ commonName: 'operator', clock: systemClock, validityMs: HOUR_MS });
    const { certificatePem, privateKeyPem = '' } = await issueCertificate(ca, {
      commonName: 'own',
      dnsNames: ['localhost'],
      usages: 'server',
      validityMs: HOUR_MS,
      clock: systemClock,
    });
    authority = ca.certificatePem;
    const files = {
      'tls.crt': certificatePem,
      'tls.key': privateKeyPem,
      'ca.crt': authority,
      'fairway.yaml': dump({
        listen: '127.0.0.1:0',
        advertiseAddress: 'localhost',
        tls: { certFile: 'tls.crt', keyFile: 'tls.key', caFile: 'ca.crt', subjectAltNames: ['other.example.com'] },
        limits: { maxBodyBytes: '64Ki' },
        audit: { path: 'logged.log' },
      }),
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o600 });
    fairway = await RunningFairway.start(join(folder, 'home'), '--config', join(folder, 'fairway.yaml'));
  });
  afterAll(async () => {
    await fairway?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('serves clients at the advertised name, with a certificate of the operator’s CA', async () => {
    const { transport } = await loadKubeConnection({ path: fairway.kubeconfig });
    const listed = await run('npx', ['fairway', 'cluster', 'list'], { KUBECONFIG: fairway.kubeconfig });

    expect(fairway.url).toMatch(/^https:\/\/localhost:\d+$/);
    expect(transport).toMatchObject({ server: fairway.url, certificateAuthority: authority });
    expect(listed).toMatchObject({ code: 0 });
  });

  test('serves clients at its address with a certificate of its own CA, including the additional names', async () => {
    const names = await new Promise<string | undefined>((resolve, reject) => {
      const options = { host: '127.0.0.1', port: new URL(fairway.url).port, path: '/livez', rejectUnauthorized: false };
      const sentRequest = request(options, (response) => {
        const { subjectaltname } = (response.socket as TLSSocket).getPeerCertificate();
        response.resume().once('end', () => resolve(subjectaltname));
      });
      sentRequest.once('error', reject).end();
    });

    expect(names).toMatch(/DNS:localhost, DNS:other\.example\.com, IP Address:127\.0\.0\.1/);
  });

  test('applies the limits in the file', async () => {
    const annotations = { x: 'y'.repeat(65 * KIB) };
    const path = join(folder, 'large.yaml');
    await writeFile(
      path,
      dump({ apiVersion: 'fairway.dev/v1alpha1', kind: 'Cluster', metadata: { name: 'a', annotations }, spec: {} }),
    );
    const { code, stderr } = await run('npx', ['fairway', 'cluster', 'create', '-f', path], {
      KUBECONFIG: fairway.kubeconfig,
    });

    expect(code).toBe(1);
    expect(stderr).toMatch(/65536|too large/i);
  });

  test('resolves paths in the file relative to its directory', async () => {
    expect(await readFile(join(folder, 'logged.log'), 'utf8')).toContain('"kind":"Event"');
  });
});
