import { RecordedAudit } from '@fairway/apiserver/audit/testing/recorded-audit';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import type { TransportRequest } from '@fairway/kube/client/transport';
import type { Status } from '@fairway/kube/object/api-error';
import type { KubeObject } from '@fairway/kube/object/meta';
import { ConfiguredClouds } from '@fairway/tenancy/cloud/configured-clouds';
import { ClusterCredentials } from '@fairway/tenancy/credentials/credentials';
import { Registry } from 'prom-client';
import { GatewayMetrics } from '../management/gateway-metrics.ts';
import { createManagementGateway, type ManagementGateway } from '../management/management-gateway.ts';
import type { ManagementCluster } from './management-cluster.ts';

/** The client's credentials: a certificate, a token, or none. */
export type Identity =
  | { readonly user: string; readonly groups?: readonly string[] }
  | { readonly token: string }
  | undefined;

/** A gateway in front of the cluster, in real time, without a cloud; `/metrics` returns `up 1`. */
export async function openGateway(
  cluster: ManagementCluster,
  identity: string,
  webhookUrl?: string,
  audit = new RecordedAudit(),
): Promise<ManagementGateway> {
  const clouds = new ConfiguredClouds({
    nameOf: () => undefined,
    open: () => undefined,
    credentialOf: () => undefined,
    openProject: () => undefined,
  });
  return createManagementGateway({
    connection: await cluster.connectAs({ username: 'fairway', groups: ['system:masters'] }),
    client: cluster.client,
    clouds,
    credentials: () => new ClusterCredentials(cluster.client, systemClock),
    host: '127.0.0.1',
    port: 0,
    webhookUrl,
    identity,
    metrics: new GatewayMetrics(new Registry()),
    auditor: audit.auditor,
    routes: [
      { path: '/metrics', handle: () => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: 'up 1\n' }) },
    ],
    clock: systemClock,
    random: Math.random,
    log: silentLogger,
  });
}

/** The gateway's response to a client's request. */
export async function sendAs(
  { cluster, gateway }: { readonly cluster: ManagementCluster; readonly gateway: ManagementGateway },
  identity: Identity,
  method: TransportRequest['method'],
  path: string,
  overrides: Partial<TransportRequest> = {},
) {
  const certificate =
    identity && 'user' in identity
      ? await cluster.clientCertificate({ username: identity.user, groups: identity.groups ?? [] })
      : undefined;
  const transport = new HttpsTransport({
    server: gateway.url,
    certificateAuthority: gateway.certificateAuthority,
    ...(certificate && { clientCertificate: () => certificate }),
    ...(identity && 'token' in identity && { bearerToken: () => identity.token }),
  });
  const rawResponse = await transport.request({ method, path, ...overrides });
  const { status, headers } = rawResponse;
  const body = await rawResponse.text();
  transport.close();
  return { status, headers, body, json: () => JSON.parse(body) as KubeObject & Status };
}
