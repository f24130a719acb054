import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubernetesBinaries, Program } from './binaries.ts';
import type { RunningControlPlane } from './control-planes.ts';
import { SupervisedProcess } from './supervised-process.ts';

type Served = Pick<RunningControlPlane, 'url' | 'pki' | 'minor'>;

/**
 * Runs a kube-controller-manager with all of its controllers, or without some of them, against a real or embedded API
 * server.
 */
export function startControllerManager(
  binaries: KubernetesBinaries,
  plane: Served,
  withoutControllers: readonly string[] = [],
): Promise<AsyncDisposable> {
  return startComponent('kube-controller-manager', binaries, plane, async (file) => {
    const { authority, serviceAccountKeys } = plane.pki;
    const ca = await file('ca.crt', authority.certificatePem);
    return [
      '--use-service-account-credentials',
      `--controllers=${['*', 'bootstrapsigner', 'tokencleaner', ...withoutControllers.map((name) => `-${name}`)].join()}`,
      '--allocate-node-cidrs',
      '--cluster-cidr=10.2.0.0/16',
      '--service-cluster-ip-range=10.3.0.0/16',
      `--root-ca-file=${ca}`,
      `--service-account-private-key-file=${await file('sa.key', serviceAccountKeys.signing.privateKeyPem)}`,
      `--cluster-signing-cert-file=${ca}`,
      `--cluster-signing-key-file=${await file('ca.key', authority.privateKeyPem)}`,
    ];
  });
}

export function startScheduler(binaries: KubernetesBinaries, plane: Served): Promise<AsyncDisposable> {
  return startComponent('kube-scheduler', binaries, plane, () => Promise.resolve([]));
}

type WriteFile = (name: string, content: string) => Promise<string>;

async function startComponent(
  program: Program,
  binaries: KubernetesBinaries,
  { url, pki }: Served,
  flagsOf: (file: WriteFile) => Promise<readonly string[]>,
): Promise<AsyncDisposable> {
  const stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), `fairway-${program}-`));
  stack.defer(() => rm(folder, { recursive: true }));
  const file: WriteFile = async (name, content) => {
    const path = join(folder, name);
    await writeFile(path, content, { mode: 0o600 });
    return path;
  };
  try {
    const { minor } = binaries;
    const kubeconfig = await file('kubeconfig', await pki.kubeconfig(url, `system:${program}`));
    const flags = [
      `--kubeconfig=${kubeconfig}`,
      // The servers receive no requests, and a port chosen in advance may be taken by then.
      '--secure-port=0',
      ...(minor < 24 ? ['--port=0'] : []),
      '--leader-elect=false',
      ...(await flagsOf(file)),
    ];
    stack.use(new SupervisedProcess(binaries.path(program), flags, join(folder, 'log')));
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
  return stack;
}
