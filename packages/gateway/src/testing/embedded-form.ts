import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';
import { createServiceAccountKeys } from '@fairway/kube/pki/service-account-keys';
import { createGateway } from '../server/gateway.ts';
import type { FormParts, GatewayForm } from './gateway-form.ts';

const DAY_MS = 86_400_000;

/** The gateway and its API server in one process. */
export async function embeddedForm(parts: FormParts): Promise<GatewayForm> {
  const { clock } = parts;
  const authority = await createCertificateAuthority({ commonName: 'fairway', clock, validityMs: DAY_MS });
  const gateway = createGateway({
    ...parts,
    version: '0.0.0',
    issuer: 'https://fairway.test',
    authority,
    serviceAccountKeys: await createServiceAccountKeys(),
  });
  await gateway.start();
  const { server, client } = gateway;
  const transports: HttpsTransport[] = [];
  const listeners = async () => {
    const subject = { commonName: 'fairway', ipAddresses: ['127.0.0.1'], usages: 'server' } as const;
    const { certificatePem, privateKeyPem = '' } = await issueCertificate(authority, {
      ...subject,
      validityMs: DAY_MS,
      clock,
    });
    return server.listen({ host: '127.0.0.1', port: 0, tls: { cert: certificatePem, key: privateKeyPem } });
  };
  let listener: ReturnType<typeof listeners> | undefined;
  const address = async () => {
    listener ??= listeners();
    return { url: (await listener).url, certificateAuthority: authority.certificatePem };
  };
  return {
    server,
    client,
    transportAs: (user) => Promise.resolve(server.transport(user)),
    address,
    async createTransport(token) {
      const { url, certificateAuthority } = await address();
      const transport = new HttpsTransport({ server: url, certificateAuthority, bearerToken: () => token });
      transports.push(transport);
      return transport;
    },
    async close() {
      for (const transport of transports) transport.close();
      await server.close();
    },
  };
}
