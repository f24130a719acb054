import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { ValidatingWebhookConfigurations } from '@fairway/kube/kinds/resources';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import { Registry } from 'prom-client';
import { GatewayMetrics } from '../management/gateway-metrics.ts';
import { createManagementGateway } from '../management/management-gateway.ts';
import { WEBHOOK_NAME } from '../webhook/webhook-configuration.ts';
import type { FormParts, GatewayForm } from './gateway-form.ts';
import { ManagementCluster } from './management-cluster.ts';

/** A gateway in front of its own API server, all over TLS. */
export async function managementForm({ store, keystone, ...parts }: FormParts): Promise<GatewayForm> {
  const cluster = await ManagementCluster.start({ store, clock: parts.clock });
  const gateway = await createManagementGateway({
    ...parts,
    connection: await cluster.connectAs({ username: 'fairway', groups: ['system:masters'] }),
    client: cluster.client,
    host: '127.0.0.1',
    port: 0,
    identity: 'test',
    keystone,
    metrics: new GatewayMetrics(new Registry()),
  });
  await eventuallyObject(cluster.client.resource(ValidatingWebhookConfigurations), { name: WEBHOOK_NAME });
  const { server, client } = cluster;
  const transports: HttpsTransport[] = [];
  return {
    server,
    client,
    async transportAs(user) {
      const groups = user.groups.filter((group) => group !== 'system:authenticated');
      const certificate = await cluster.clientCertificate({ username: user.username, groups });
      const transport = new HttpsTransport({
        server: gateway.url,
        certificateAuthority: gateway.certificateAuthority,
        clientCertificate: () => certificate,
      });
      transports.push(transport);
      return transport;
    },
    address: () => Promise.resolve(gateway),
    createTransport(token) {
      const { url: server, certificateAuthority } = gateway;
      const transport = new HttpsTransport({ server, certificateAuthority, bearerToken: () => token });
      transports.push(transport);
      return Promise.resolve(transport);
    },
    async close() {
      for (const transport of transports) transport.close();
      await gateway.close();
      await cluster.close();
    },
  };
}
