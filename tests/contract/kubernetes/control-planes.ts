import { MemoryStore } from '@fairway/apiserver/store/memory-store';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { freePorts } from '@fairway/base/testing/free-ports';
import { type Controllers, createHollowControlPlane } from '@fairway/hollow/control-plane/hollow-control-plane';
import { type ClusterPki, createClusterPki } from './cluster-pki.ts';

/** A control plane that serves on loopback, with its controllers but without nodes. */
export interface RunningControlPlane extends AsyncDisposable {
  readonly url: string;
  readonly pki: ClusterPki;
  /** The minor version: 36 for 1.36. */
  readonly minor: number;
}

const EMBEDDED_VERSION = '1.34.2';

/** The embedded API server, as in hollow clusters. */
export async function startEmbeddedControlPlane(controllers: Controllers = 'own'): Promise<RunningControlPlane> {
  const pki = await createClusterPki();
  const [port = 0] = await freePorts(1);
  const { authority, frontProxy, serviceAccountKeys, serving } = pki;
  const plane = createHollowControlPlane({
    store: new MemoryStore(),
    clock: systemClock,
    random: Math.random,
    log: silentLogger,
    clusterName: 'contract',
    version: EMBEDDED_VERSION,
    podCidr: '10.2.0.0/16',
    serviceCidr: '10.3.0.0/16',
    endpoint: { host: '127.0.0.1', port },
    controllers,
    // Webhooks and aggregated API servers of tests run on this machine.
    outbound: () => undefined,
    pki: {
      ca: authority,
      caBundle: authority.certificatePem,
      serviceAccountKeys,
      frontProxy: { ca: frontProxy, caBundle: frontProxy.certificatePem },
    },
  });
  await plane.start();
  const tls = { cert: serving.certificate, key: serving.privateKey, clientCa: authority.certificatePem };
  const { url } = await plane.server.listen({ host: '127.0.0.1', port, tls });
  const minor = Number(EMBEDDED_VERSION.split('.')[1]);
  return { url, pki, minor, [Symbol.asyncDispose]: () => plane.stop() };
}
