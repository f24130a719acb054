import { type ChildProcess, spawn } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@fairway/base/clock';
import { freePorts } from '@fairway/base/testing/free-ports';
import { findExecutable } from '@fairway/control-plane/process/executables';
import { binaryFolders } from '@fairway/control-plane/process/find-binaries';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { type CertificateAuthority, createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';
import { createServiceAccountKeys } from '@fairway/kube/pki/service-account-keys';
import { SIMULATED_ENVIRONMENT, SIMULATED_PROCESS_FLAGS } from '@fairway/service/simulated-control-plane/process-flags';
import { serverEnv, serverFlags } from '../server-process.ts';
import type { EmbeddedServerOptions } from './embedded-server.ts';
import type { Target } from './protocol.ts';

const HOUR_MS = 3_600_000;
const START_TIMEOUT_MS = 60_000;
const POLL_INTERVAL_MS = 10;

/** Certificates shared by both servers and all clients of a run. */
export interface BenchPki {
  readonly authority: CertificateAuthority;
  readonly server: KeyPair;
  readonly admin: KeyPair;
  /** Certificate of a user restricted by RBAC. */
  readonly user: KeyPair;
  readonly serviceAccountKey: string;
}

interface KeyPair {
  readonly certificate: string;
  readonly privateKey: string;
}

export const BENCH_USER = 'bench';

export async function createPki(): Promise<BenchPki> {
  const common = { clock: systemClock, validityMs: HOUR_MS };
  const authority = await createCertificateAuthority({ commonName: 'bench', ...common });
  const issue = async (commonName: string, usages: 'client' | 'server', organizations: readonly string[] = []) => {
    const names = usages === 'server' ? { ipAddresses: ['127.0.0.1', '10.3.0.1'], dnsNames: ['localhost'] } : {};
    const issued = await issueCertificate(authority, { commonName, organizations, usages, ...names, ...common });
    return { certificate: issued.certificatePem, privateKey: issued.privateKeyPem ?? '' };
  };
  return {
    authority,
    server: await issue('kube-apiserver', 'server'),
    admin: await issue('admin', 'client', ['system:masters']),
    user: await issue(BENCH_USER, 'client'),
    serviceAccountKey: (await createServiceAccountKeys()).signing.privateKeyPem,
  };
}

/** A server under test. */
export interface BenchServer {
  readonly name: string;
  readonly version: string;
  readonly pids: readonly number[];
  readonly startMs: number;
  readonly admin: KubeClient;
  /** Connection as the user that RBAC restricts. */
  readonly target: Target;
  stop(): Promise<void>;
}

export async function startEmbedded(folder: string, pki: BenchPki): Promise<BenchServer> {
  const [port = 0] = await freePorts(1);
  const begin = performance.now();
  const { authority, server, serviceAccountKey } = pki;
  const options: EmbeddedServerOptions = {
    databasePath: join(folder, 'embedded.db'),
    port,
    authority: { certificate: authority.certificatePem, privateKey: authority.privateKeyPem },
    server,
    serviceAccountKey,
  };
  const optionsPath = join(folder, 'embedded.json');
  writeFileSync(optionsPath, JSON.stringify(options), { mode: 0o600 });
  const script = join(import.meta.dirname, 'embedded-server.ts');
  const args = [...SIMULATED_PROCESS_FLAGS, ...serverFlags(), script, optionsPath];
  const child = start(process.execPath, args, join(folder, 'embedded.log'), SIMULATED_ENVIRONMENT);
  return whenReady('embedded', port, pki, [child], begin);
}

export interface PeerBinaries {
  readonly kubeApiserver: string;
  readonly etcd: string;
}

/** The binaries from the directory in KUBEBUILDER_ASSETS or from PATH, or the names of the missing ones. */
export function findPeer(env: NodeJS.ProcessEnv): PeerBinaries | { readonly missing: readonly string[] } {
  const folders = binaryFolders(env, []);
  const kubeApiserver = findExecutable(folders, 'kube-apiserver');
  const etcd = findExecutable(folders, 'etcd');
  if (kubeApiserver !== undefined && etcd !== undefined) return { kubeApiserver, etcd };
  const paths = { 'kube-apiserver': kubeApiserver, etcd };
  return { missing: Object.entries(paths).flatMap(([name, path]) => (path === undefined ? [name] : [])) };
}

export async function startPeer(folder: string, pki: BenchPki, binaries: PeerBinaries): Promise<BenchServer> {
  const [port = 0, etcdPort = 0, etcdPeerPort = 0] = await freePorts(3);
  const data = join(folder, 'peer');
  mkdirSync(data, { mode: 0o700 });
  const file = (name: string, text: string) => {
    const path = join(data, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const signingKey = file('service-account.key', pki.serviceAccountKey);
  const publicKey = createPublicKey(pki.serviceAccountKey).export({ type: 'spki', format: 'pem' });
  const begin = performance.now();
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const etcdPeerUrl = `http://127.0.0.1:${etcdPeerPort}`;
  const etcd = start(
    binaries.etcd,
    [
      `--data-dir=${join(data, 'etcd')}`,
      `--listen-client-urls=${etcdUrl}`,
      `--advertise-client-urls=${etcdUrl}`,
      `--listen-peer-urls=${etcdPeerUrl}`,
      `--initial-advertise-peer-urls=${etcdPeerUrl}`,
      `--initial-cluster=default=${etcdPeerUrl}`,
      '--log-level=error',
    ],
    join(folder, 'etcd.log'),
  );
  const apiserver = start(
    binaries.kubeApiserver,
    [
      `--etcd-servers=${etcdUrl}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      '--endpoint-reconciler-type=none',
      `--secure-port=${port}`,
      `--tls-cert-file=${file('server.crt', pki.server.certificate)}`,
      `--tls-private-key-file=${file('server.key', pki.server.privateKey)}`,
      `--client-ca-file=${file('ca.crt', pki.authority.certificatePem)}`,
      '--authorization-mode=Node,RBAC',
      '--service-cluster-ip-range=10.3.0.0/24',
      '--service-account-issuer=https://bench.invalid',
      `--service-account-key-file=${file('service-account.pub', String(publicKey))}`,
      `--service-account-signing-key-file=${signingKey}`,
    ],
    join(folder, 'kube-apiserver.log'),
  );
  return whenReady('kube-apiserver + etcd', port, pki, [apiserver, etcd], begin);
}

interface StartedProcess {
  readonly child: ChildProcess;
  readonly logPath: string;
}

function start(command: string, args: readonly string[], logPath: string, env: NodeJS.ProcessEnv = {}): StartedProcess {
  const log = openSync(logPath, 'a', 0o600);
  return { child: spawn(command, args, { stdio: ['ignore', log, log], env: { ...env, ...serverEnv() } }), logPath };
}

async function whenReady(
  name: string,
  port: number,
  pki: BenchPki,
  processes: readonly StartedProcess[],
  begin: number,
): Promise<BenchServer> {
  const url = `https://127.0.0.1:${port}`;
  const certificateAuthority = pki.authority.certificatePem;
  const transport = new HttpsTransport({ server: url, certificateAuthority, clientCertificate: () => pki.admin });
  const admin = new KubeClient(transport, { userAgent: 'fairway-bench' });
  const stop = async () => {
    admin.close();
    await Promise.all(processes.map(({ child }) => terminate(child)));
  };
  for (;;) {
    const response = await transport.request({ method: 'GET', path: '/readyz' }).catch(() => undefined);
    await response?.text();
    if (response?.status === 200) break;
    const exitedProcess = processes.find(({ child }) => child.exitCode !== null);
    if (exitedProcess !== undefined || performance.now() - begin > START_TIMEOUT_MS) {
      await stop();
      throw new Error(
        `${name} does not start: ${exitedProcess === undefined ? 'not ready in time' : lastLines(exitedProcess.logPath)}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
  return {
    name,
    version: (await admin.version()).gitVersion,
    pids: processes.map(({ child }) => child.pid ?? 0),
    startMs: performance.now() - begin,
    admin,
    target: { url, certificateAuthority, ...pki.user },
    stop,
  };
}

function terminate(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill('SIGTERM');
  });
}

function lastLines(path: string): string {
  return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-5).join('\n');
}
