import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@fairway/base/testing/free-ports';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { generateKeyPair, privateKeyToPem, publicKeyToPem } from '@fairway/kube/pki/key-pair';

/** kube-apiserver and etcd from `KUBEBUILDER_ASSETS`; undefined if it is not set. */
export function findAssets(): string | undefined {
  const folder = process.env['KUBEBUILDER_ASSETS'];
  const isComplete = folder && existsSync(join(folder, 'kube-apiserver')) && existsSync(join(folder, 'etcd'));
  return isComplete ? folder : undefined;
}

export interface RealApiServer extends AsyncDisposable {
  /** The administrator's client. */
  readonly client: KubeClient;
  readonly url: string;
  /** The administrator's certificate. */
  readonly token: string;
  /** PEM that the server's certificate chains to. */
  readonly certificateAuthority: string;
}

export interface RealApiServerOptions {
  /** PEM of the CA for client certificates; enables RBAC, node authorisation, NodeRestriction and bootstrap tokens. */
  readonly clientAuthority?: string;
  /** Ranges of cluster IPs: one, or one per IP family with the primary first. */
  readonly serviceRanges?: readonly string[];
}

const TOKEN = 'contract-test';
const START_TIMEOUT_MS = 300_000;
/** Admission plugins that depend on other objects or on the cluster, unlike the definitions of kinds. */
const DISABLED_ADMISSION = [
  'ServiceAccount',
  'DefaultTolerationSeconds',
  'DefaultStorageClass',
  'DefaultIngressClass',
  'LimitRanger',
  'Priority',
  'PersistentVolumeClaimResize',
  'PodSecurity',
  'ResourceQuota',
  'RuntimeClass',
  'StorageObjectInUseProtection',
  'TaintNodesByCondition',
];

/** Starts a kube-apiserver with its own etcd in a temporary directory. */
export async function startRealApiServer(
  assets: string,
  { clientAuthority, serviceRanges = ['10.3.0.0/16'] }: RealApiServerOptions = {},
): Promise<RealApiServer> {
  const folder = await mkdtemp(join(tmpdir(), 'kube-apiserver-'));
  const children: ChildProcess[] = [];
  const stop = async () => {
    await Promise.all(children.reverse().map(stopChild));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const [etcdPort = 0, peerPort = 0, port = 0] = await freePorts(3);
    const etcdUrl = `http://127.0.0.1:${etcdPort}`;
    const peerUrl = `http://127.0.0.1:${peerPort}`;
    const etcd = ['--data-dir', join(folder, 'etcd'), '--unsafe-no-fsync', '--log-level', 'error'];
    etcd.push('--listen-client-urls', etcdUrl, '--advertise-client-urls', etcdUrl, '--listen-peer-urls', peerUrl);
    etcd.push('--initial-advertise-peer-urls', peerUrl, '--initial-cluster', `default=${peerUrl}`);
    children.push(spawn(join(assets, 'etcd'), etcd, { stdio: 'ignore' }));
    const keys = await generateKeyPair();
    await writeFile(join(folder, 'sa.key'), await privateKeyToPem(keys.privateKey));
    await writeFile(join(folder, 'sa.pub'), await publicKeyToPem(keys.publicKey));
    await writeFile(join(folder, 'tokens.csv'), `${TOKEN},admin,admin,"system:masters"\n`);
    const apiServer = [
      `--etcd-servers=${etcdUrl}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${folder}`,
      `--token-auth-file=${join(folder, 'tokens.csv')}`,
      ...(clientAuthority === undefined
        ? ['--authorization-mode=AlwaysAllow']
        : await nodeFlags(folder, clientAuthority)),
      `--disable-admission-plugins=${DISABLED_ADMISSION.join(',')}`,
      `--service-cluster-ip-range=${serviceRanges.join(',')}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${join(folder, 'sa.pub')}`,
      `--service-account-signing-key-file=${join(folder, 'sa.key')}`,
    ];
    children.push(spawn(join(assets, 'kube-apiserver'), apiServer, { stdio: 'ignore' }));
    const url = `https://127.0.0.1:${port}`;
    const client = await connect(url, join(folder, 'apiserver.crt'));
    return {
      client,
      url,
      token: TOKEN,
      certificateAuthority: await readFile(join(folder, 'apiserver.crt'), 'utf8'),
      [Symbol.asyncDispose]: async () => {
        client.close();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function nodeFlags(folder: string, clientAuthority: string): Promise<string[]> {
  const path = join(folder, 'client-ca.crt');
  await writeFile(path, clientAuthority);
  return [
    `--client-ca-file=${path}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--enable-bootstrap-token-auth',
  ];
}

async function connect(server: string, certificatePath: string): Promise<KubeClient> {
  const deadlineMs = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      // The certificate is self-signed, so it is its own CA.
      const certificateAuthority = await readFile(certificatePath, 'utf8');
      const transport = new HttpsTransport({ server, certificateAuthority, bearerToken: () => TOKEN });
      const client = new KubeClient(transport);
      await client.raw({ method: 'GET', path: '/readyz' });
      await client.raw({ method: 'GET', path: '/api/v1/namespaces/default' });
      return client;
    } catch (error) {
      if (Date.now() > deadlineMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

function stopChild(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
