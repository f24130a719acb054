import { readFileSync } from 'node:fs';
import { SqliteDatabase } from '@fairway/apiserver/store/sqlite-database';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { createBootstrapObjects } from '@fairway/hollow/control-plane/bootstrap-objects';
import { createHollowControlPlane } from '@fairway/hollow/control-plane/hollow-control-plane';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { loadCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { loadServiceAccountKeys } from '@fairway/kube/pki/service-account-keys';

/** Content of the JSON file specified on the command line. */
export interface EmbeddedServerOptions {
  readonly databasePath: string;
  readonly port: number;
  readonly authority: { readonly certificate: string; readonly privateKey: string };
  readonly server: { readonly certificate: string; readonly privateKey: string };
  readonly serviceAccountKey: string;
}

/**
 * The embedded API server of a simulated control plane, but without a scheduler or controllers, because the peer has
 * neither.
 */
async function main(options: EmbeddedServerOptions): Promise<void> {
  const { databasePath, port, authority, server: certificate, serviceAccountKey } = options;
  const ca = await loadCertificateAuthority(authority.certificate, authority.privateKey);
  const endpoint = { host: '127.0.0.1', port };
  const { server } = createHollowControlPlane({
    store: SqliteDatabase.open(databasePath).store('bench'),
    clock: systemClock,
    random: Math.random,
    log: silentLogger,
    clusterName: 'bench',
    version: '1.34.0',
    podCidr: '10.2.0.0/16',
    serviceCidr: '10.3.0.0/16',
    endpoint,
    pki: {
      ca,
      caBundle: authority.certificate,
      serviceAccountKeys: await loadServiceAccountKeys(serviceAccountKey),
    },
  });
  const bootstrapper = { username: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] };
  await createBootstrapObjects(new KubeClient(server.transport(bootstrapper)), server.reader, {
    clusterName: 'bench',
    serviceAddress: '10.3.0.1',
    serviceCidr: '10.3.0.0/16',
    endpoint,
    caBundle: authority.certificate,
    clientCaBundle: authority.certificate,
  });
  await server.listen({
    ...endpoint,
    tls: { cert: certificate.certificate, key: certificate.privateKey, clientCa: authority.certificate },
  });
  process.on('SIGTERM', () => process.exit(0));
}

await main(JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as EmbeddedServerOptions);
