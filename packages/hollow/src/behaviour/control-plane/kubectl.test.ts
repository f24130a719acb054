import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@fairway/base/clock';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';
import { kubectlMinor, kubectlTooOld } from '@fairway/kube/testing/kubectl';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestCluster } from '../../testing/test-cluster.ts';

const installed = kubectlMinor !== undefined;
const tokens = kubectlTooOld(24);
const policyV1 = kubectlTooOld(22);
const HOUR_MS = 3_600_000;

describe.skipIf(!installed)(`kubectl on a hollow cluster${installed ? '' : ' (skipped: not installed)'}`, () => {
  let cluster: TestCluster;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairway-hollow-'));
    cluster = await TestCluster.start({ realTime: true });
    const { ca } = cluster;
    const clock = systemClock;
    const common = { validityMs: HOUR_MS, clock };
    const server = await issueCertificate(ca, {
      ...common,
      commonName: 'kube-apiserver',
      ipAddresses: ['127.0.0.1'],
      usages: 'server',
    });
    const user = await issueCertificate(ca, {
      ...common,
      commonName: 'admin',
      organizations: ['system:masters'],
      usages: 'client',
    });
    const tls = { cert: server.certificatePem, key: server.privateKeyPem ?? '', clientCa: ca.certificatePem };
    const listener = await cluster.controlPlane.server.listen({ host: '127.0.0.1', port: 0, tls });
    const encode = (text = '') => Buffer.from(text).toString('base64');
    const kubeconfig = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        { name: 'c', cluster: { server: listener.url, 'certificate-authority-data': encode(ca.certificatePem) } },
      ],
      users: [
        {
          name: 'u',
          user: {
            'client-certificate-data': encode(user.certificatePem),
            'client-key-data': encode(user.privateKeyPem),
          },
        },
      ],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    await writeFile(join(folder, 'config'), JSON.stringify(kubeconfig));
  });

  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  /** Returns stdout and stderr, with the exit code if it is not 0. */
  function kubectl(line: string): Promise<string> {
    return new Promise((resolve) => {
      const env = { PATH: process.env['PATH'], KUBECONFIG: join(folder, 'config'), HOME: folder };
      execFile('kubectl', line.split(' '), { env }, (error, stdout, stderr) => {
        resolve(`${stdout}${stderr}${error === null ? '' : `[${error.code}]`}`);
      });
    });
  }

  it('rolls out, scales and rolls back a Deployment', async () => {
    expect(await kubectl('version')).toMatch(/Server Version: .*v1\.34\.2\+fairway-hollow/);
    expect(await kubectl('create deployment web --image=nginx:1 --replicas=6')).toBe('deployment.apps/web created\n');
    expect(await kubectl('rollout status deployment/web --timeout=20s')).toContain(
      'deployment "web" successfully rolled out',
    );
    expect(await kubectl('get deployment web --no-headers')).toMatch(/^web +6\/6 +6 +6 /);
    await kubectl('scale deployment/web --replicas=4');
    await kubectl('set image deployment/web nginx=nginx:2');
    expect(await kubectl('rollout status deployment/web --timeout=20s')).toContain('successfully rolled out');
    expect(await kubectl('rollout history deployment/web')).toMatch(/REVISION.*\n1 +<none>\n2 +<none>/);
    expect(await kubectl('rollout undo deployment/web')).toBe('deployment.apps/web rolled back\n');
    expect(await kubectl('rollout status deployment/web --timeout=20s')).toContain('successfully rolled out');
    expect(await kubectl('get pods -l app=web -o jsonpath={.items[*].spec.containers[*].image}')).toBe(
      'nginx:1 nginx:1 nginx:1 nginx:1',
    );
    expect(await kubectl('rollout restart deployment/web')).toBe('deployment.apps/web restarted\n');
    expect(await kubectl('rollout status deployment/web --timeout=20s')).toContain('successfully rolled out');
  });

  it.skipIf(policyV1.isTooOld)(`exposes a Deployment, and drains and uncordons a node${policyV1.reason}`, async () => {
    await kubectl('create deployment shop --image=nginx:1 --replicas=3');
    await kubectl('rollout status deployment/shop --timeout=20s');
    expect(await kubectl('expose deployment/shop --port=80 --type=NodePort')).toBe('service/shop exposed\n');
    expect(await kubectl('get service shop --no-headers')).toMatch(
      /^shop +NodePort +10\.3\.\d+\.\d+ +<none> +80:3\d{4}\/TCP/,
    );
    expect(await kubectl('describe service shop')).toMatch(/Endpoints: +10\.2\./);
    expect(await kubectl('drain node-a --ignore-daemonsets --delete-emptydir-data --timeout=20s')).toContain(
      'node/node-a drained',
    );
    expect(await kubectl('get node node-a --no-headers')).toContain('Ready,SchedulingDisabled');
    await kubectl('rollout status deployment/shop --timeout=20s');
    expect(await kubectl('get pods -o jsonpath={.items[*].spec.nodeName}')).not.toContain('node-a');
    expect(await kubectl('uncordon node-a')).toBe('node/node-a uncordoned\n');
  });

  it('reports what a cluster without machines cannot do', async () => {
    await kubectl('run lone --image=nginx:1');
    await kubectl('wait --for=condition=Ready pod/lone --timeout=20s');
    expect(await kubectl('logs lone')).toContain('a hollow cluster runs no containers: there are no logs');
    expect(await kubectl('auth can-i create pods --as=system:serviceaccount:default:default')).toContain('no');
    expect(await kubectl('delete namespace kube-public')).toContain('this namespace may not be deleted');
    await kubectl('create namespace team');
    await kubectl('-n team create configmap settings --from-literal=a=b');
    expect(await kubectl('delete namespace team --timeout=20s')).toContain('namespace "team" deleted');
  });

  it.skipIf(tokens.isTooOld)(`creates tokens${tokens.reason}`, async () => {
    expect(await kubectl('create token default')).toMatch(/^eyJ/);
  });
});
