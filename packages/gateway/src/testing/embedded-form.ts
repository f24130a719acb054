import { createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { createServiceAccountKeys } from '@fairway/kube/pki/service-account-keys';
import { createGateway } from '../server/gateway.ts';
import type { FormParts, GatewayForm } from './gateway-form.ts';

const DAY_MS = 86_400_000;

/** Gateway and API server in one. */
export async function embeddedForm(parts: FormParts): Promise<GatewayForm> {
  const { clock } = parts;
  const gateway = createGateway({
    ...parts,
    version: '0.0.0',
    issuer: 'https://fairway.test',
    authority: await createCertificateAuthority({ commonName: 'fairway', clock, validityMs: DAY_MS }),
    serviceAccountKeys: await createServiceAccountKeys(),
  });
  await gateway.start();
  const { server, client } = gateway;
  return {
    server,
    client,
    transportAs: (user) => Promise.resolve(server.transport(user)),
    close: () => server.close(),
  };
}
