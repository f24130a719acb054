import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { findLocalBinaries, localMachine } from '../../process/local-process-runtime.ts';

const PROXY = 'http://proxy.example.com:3128';
/** An operator's environment. With its proxy variables, kube-apiserver could bypass the egress policy. */
const OPERATORS = {
  HTTP_PROXY: PROXY,
  HTTPS_PROXY: PROXY,
  ALL_PROXY: PROXY,
  NO_PROXY: '10.0.0.0/8',
  http_proxy: PROXY,
  https_proxy: PROXY,
  all_proxy: PROXY,
  no_proxy: '10.0.0.0/8',
  OS_PASSWORD: 'secret',
  OS_APPLICATION_CREDENTIAL_SECRET: 'secret',
  AWS_SECRET_ACCESS_KEY: 'secret',
  KUBECONFIG: '/root/.kube/config',
  HOME: '/root',
  GODEBUG: 'x509ignoreCN=0',
  SSLKEYLOGFILE: '/tmp/keys',
  LD_PRELOAD: '/tmp/evil.so',
  NODE_OPTIONS: '--require=/tmp/evil.js',
};
const INHERITED_VARIABLES = { PATH: process.env['PATH'] ?? '', SSL_CERT_FILE: '/etc/ssl/certs/ca.pem', TZ: 'UTC' };

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe('the operator’s environment', () => {
  test('is reduced to what control planes need, without proxies or credentials', () => {
    const { env } = localMachine(() => undefined, '127.0.0.1', { ...OPERATORS, ...INHERITED_VARIABLES });

    expect(env).toEqual(INHERITED_VARIABLES);
  });

  test('is also reduced for binaries that are only asked for their version', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fairway-env-'));
    folders.push(folder);
    const seen = join(folder, 'seen');
    for (const name of ['kube-apiserver', 'etcd', 'kube-controller-manager', 'kube-scheduler']) {
      writeFileSync(join(folder, name), `#!/bin/sh\nenv >> ${seen}\necho Kubernetes v1.36.3\n`, { mode: 0o700 });
    }
    await findLocalBinaries({ ...OPERATORS, ...INHERITED_VARIABLES, KUBEBUILDER_ASSETS: folder }, []);
    const names = readFileSync(seen, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.slice(0, line.indexOf('=')));

    // A shell sets PWD and similar variables itself.
    expect([...new Set(names)].filter((name) => name in OPERATORS)).toEqual([]);
    expect(names).toContain('SSL_CERT_FILE');
  });
});
