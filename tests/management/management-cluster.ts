import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import { type Clock, systemClock } from '@fairway/base/clock';
import { HttpsTransport, type HttpsTransportOptions } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { renderKubeconfig } from '@fairway/kube/client/kubeconfig';
import type { Transport } from '@fairway/kube/client/transport';
import type { KubeObject } from '@fairway/kube/object/meta';
import { SERVICE_ACCOUNT } from '@fairway/service/install/permissions';
import type { KubernetesBinaries } from '../contract/kubernetes/binaries.ts';
import { type RealControlPlane, startRealControlPlane } from '../contract/kubernetes/real-control-plane.ts';
import { serviceAccountToken } from '../session/service-account-token.ts';
import { installCurrent, installPrevious } from './install-definitions.ts';

/** A real kube-apiserver with etcd and kube-controller-manager, installed as Fairway's management cluster. */
export interface ManagementCluster extends AsyncDisposable {
  readonly plane: RealControlPlane;
  /** For a test's files; deleted with the cluster. */
  readonly folder: string;
  /** Files in a separate directory of the cluster. */
  readonly kubeconfigs: {
    readonly admin: string;
    /** The kubeconfig for `fairway serve`'s ServiceAccount. */
    readonly controllers: string;
  };
  /** Installs Fairway's objects, for an API server that `fairway install` refuses. */
  install(): Promise<void>;
  /** Writes the ServiceAccount's kubeconfig, which exists after `fairway install`. */
  giveControllersToken(): Promise<void>;
  /** The caller closes it. */
  adminClient(clock?: Clock): KubeClient;
  /** A client that acts as the ServiceAccount; the caller closes it. */
  controllersClient(clock?: Clock, wrap?: (transport: Transport) => Transport): KubeClient;
}

const TOKEN_SECONDS = 36_000;

/**
 * With `installed` the cluster has the objects of an earlier release, which `install` upgrades. With `isInstalled:
 * false` it has no Fairway objects, and `kubeconfigs.controllers` does not exist before `giveControllersToken`.
 */
export async function startManagementCluster(
  binaries: KubernetesBinaries,
  {
    isInstalled = true,
    installed,
    withoutControllers = [],
  }: {
    readonly isInstalled?: boolean;
    readonly installed?: readonly KubeObject[];
    readonly withoutControllers?: readonly string[];
  } = {},
): Promise<ManagementCluster> {
  const stack = new AsyncDisposableStack();
  try {
    const folder = await mkdtemp(join(tmpdir(), 'fairway-management-'));
    stack.defer(() => rm(folder, { recursive: true }));
    const plane = stack.use(await startRealControlPlane(binaries, { withoutControllers }));
    const { url, pki } = plane;
    const certificateAuthority = pki.authority.certificatePem;
    const certificate = await pki.clientCertificate('admin', ['system:masters']);
    const open = (
      identity: Partial<HttpsTransportOptions>,
      clock: Clock = systemClock,
      wrap = (transport: Transport) => transport,
    ) => new KubeClient(wrap(new HttpsTransport({ server: url, certificateAuthority, ...identity })), { clock });
    const adminClient = (clock?: Clock) => open({ clientCertificate: () => certificate }, clock);
    const server = { name: 'management', server: url, certificateAuthority };
    const kubeconfigs = { admin: join(folder, 'admin'), controllers: join(folder, 'controllers') };
    await writeFile(kubeconfigs.admin, renderKubeconfig({ ...server, clientCertificate: certificate }));
    let token = '';
    const giveControllersToken = async () => {
      using client = closing(adminClient());
      token = await tokenOf(client.client);
      await writeFile(kubeconfigs.controllers, renderKubeconfig({ ...server, token }));
    };
    const installHere = async () => {
      using client = closing(adminClient());
      await installCurrent(client.client, plane.minor);
    };
    const installFirst = async () => {
      if (installed === undefined) return installHere();
      using client = closing(adminClient());
      await installPrevious(client.client, installed);
    };
    if (isInstalled) {
      await installFirst();
      await giveControllersToken();
    }
    return {
      plane,
      folder,
      kubeconfigs,
      install: installHere,
      giveControllersToken,
      adminClient,
      controllersClient: (clock, wrap) => open({ bearerToken: () => token }, clock, wrap),
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

function closing(client: KubeClient): { readonly client: KubeClient } & Disposable {
  return { client, [Symbol.dispose]: () => client.close() };
}

function tokenOf(client: KubeClient): Promise<string> {
  return serviceAccountToken(client, { name: SERVICE_ACCOUNT, namespace: SYSTEM_NAMESPACE }, TOKEN_SECONDS);
}
