import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@fairway/base/testing/free-ports';
import { publicKeyToPem } from '@fairway/kube/pki/key-pair';
import type { KubernetesBinaries } from './binaries.ts';
import { type ClusterPki, createClusterPki } from './cluster-pki.ts';
import type { RunningControlPlane } from './control-planes.ts';
import { startControllerManager } from './real-controllers.ts';
import { startEtcd } from './real-etcd.ts';
import { SupervisedProcess } from './supervised-process.ts';

export interface RealControlPlaneOptions {
  /** YAML or JSON of an audit.k8s.io/v1 Policy; nothing is audited by default. */
  readonly auditPolicy?: string;
  /** Names of controllers in kube-controller-manager's `--controllers` that do not run. */
  readonly withoutControllers?: readonly string[];
}

export interface RealControlPlane extends RunningControlPlane {
  /** Where kube-apiserver writes its audit log. */
  readonly auditLog: string;
  /**
   * Stops kube-apiserver gracefully, runs `whileStopped`, and restarts it on its port; the rest of the control plane
   * keeps running.
   */
  restartApiServer(whileStopped?: () => Promise<void>): Promise<void>;
}

/**
 * Starts etcd, kube-apiserver and kube-controller-manager on loopback, in a separate directory that is deleted with
 * them.
 */
export async function startRealControlPlane(
  binaries: KubernetesBinaries,
  { auditPolicy, withoutControllers }: RealControlPlaneOptions = {},
): Promise<RealControlPlane> {
  const folder = await mkdtemp(join(tmpdir(), 'fairway-contract-'));
  const stack = new AsyncDisposableStack();
  stack.defer(() => rm(folder, { recursive: true }));
  try {
    const pki = await createClusterPki();
    const [etcdPort = 0, peerPort = 0, port = 0] = await freePorts(3);
    stack.use(await startEtcd(binaries, folder, etcdPort, peerPort));
    const url = `https://127.0.0.1:${port}`;
    const auditLog = join(folder, 'audit.log');
    const startServer = () => startApiServer(binaries, folder, pki, { etcdPort, port, auditPolicy, auditLog });
    let server = await startServer();
    stack.defer(() => server[Symbol.asyncDispose]());
    stack.use(await startControllerManager(binaries, { url, pki, minor: binaries.minor }, withoutControllers));
    return {
      url,
      pki,
      minor: binaries.minor,
      auditLog,
      async restartApiServer(whileStopped = async () => {}) {
        await server[Symbol.asyncDispose]();
        await whileStopped();
        server = await startServer();
      },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

interface ApiServerSettings {
  readonly etcdPort: number;
  readonly port: number;
  readonly auditPolicy: string | undefined;
  readonly auditLog: string;
}

async function startApiServer(
  binaries: KubernetesBinaries,
  folder: string,
  pki: ClusterPki,
  { etcdPort, port, auditPolicy, auditLog }: ApiServerSettings,
): Promise<SupervisedProcess> {
  const file = async (name: string, content: string) => {
    const path = join(folder, name);
    await writeFile(path, content, { mode: 0o600 });
    return path;
  };
  const ca = await file('ca.crt', pki.authority.certificatePem);
  const { signing } = pki.serviceAccountKeys;
  const serviceAccountKey = await file('sa.key', signing.privateKeyPem);
  const audit =
    auditPolicy === undefined
      ? []
      : [`--audit-policy-file=${await file('audit-policy', auditPolicy)}`, `--audit-log-path=${auditLog}`];
  const frontProxy = await pki.frontProxyCertificate();
  const issuer = `https://127.0.0.1:${port}`;
  const server = new SupervisedProcess(
    binaries.path('kube-apiserver'),
    [
      `--etcd-servers=http://127.0.0.1:${etcdPort}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      '--endpoint-reconciler-type=none',
      `--secure-port=${port}`,
      `--tls-cert-file=${await file('server.crt', pki.serving.certificate)}`,
      `--tls-private-key-file=${await file('server.key', pki.serving.privateKey)}`,
      `--client-ca-file=${ca}`,
      `--service-account-key-file=${await file('sa.pub', await publicKeyToPem(signing.publicKey))}`,
      `--service-account-signing-key-file=${serviceAccountKey}`,
      `--service-account-issuer=${issuer}`,
      `--api-audiences=${issuer}`,
      '--service-cluster-ip-range=10.3.0.0/16',
      '--authorization-mode=Node,RBAC',
      '--enable-admission-plugins=NodeRestriction',
      '--enable-bootstrap-token-auth',
      `--requestheader-client-ca-file=${await file('front-proxy-ca.crt', pki.frontProxy.certificatePem)}`,
      '--requestheader-allowed-names=front-proxy-client',
      '--requestheader-username-headers=X-Remote-User',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      `--proxy-client-cert-file=${await file('front-proxy-client.crt', frontProxy.certificate)}`,
      `--proxy-client-key-file=${await file('front-proxy-client.key', frontProxy.privateKey)}`,
      '--allow-privileged',
      '--profiling=false',
      ...audit,
    ],
    join(folder, 'kube-apiserver.log'),
  );
  const options = { host: '127.0.0.1', port, path: '/readyz', ca: pki.authority.certificatePem, agent: false as const };
  await server.whenReady(
    () =>
      new Promise((resolve) => {
        request(options, (response) => {
          response.resume();
          resolve(response.statusCode === 200);
        })
          .on('error', () => resolve(false))
          .end();
      }),
  );
  return server;
}
