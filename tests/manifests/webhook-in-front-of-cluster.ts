import { RecordedAudit } from '@fairway/apiserver/audit/testing/recorded-audit';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { GatewayMetrics } from '@fairway/gateway/management/gateway-metrics';
import { createManagementGateway } from '@fairway/gateway/management/management-gateway';
import { createTestObjects, type Ids, NAMESPACE } from '@fairway/gateway/testing/manifests/test-objects';
import { simulatedClouds } from '@fairway/gateway/testing/simulated-clouds';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { Namespaces, ValidatingWebhookConfigurations } from '@fairway/kube/kinds/resources';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import { createCloud } from '@fairway/simulator/cloud';
import { ClusterCredentials } from '@fairway/tenancy/credentials/credentials';
import { Registry } from 'prom-client';
import type { KubernetesBinaries } from '../contract/kubernetes/binaries.ts';
import { startRealControlPlane } from '../contract/kubernetes/real-control-plane.ts';
import { installCurrent } from '../management/install-definitions.ts';

const WEBHOOK = 'admission.fairway.dev';

/**
 * A real kube-apiserver with Fairway's CRDs and webhook, and the objects that the manifests need. Nothing is
 * reconciled.
 */
export interface WebhookInFrontOfCluster extends AsyncDisposable {
  /** A client that calls kube-apiserver directly, with all permissions. */
  readonly client: KubeClient;
  readonly ids: Ids;
}

export async function startWebhookInFrontOfCluster(binaries: KubernetesBinaries): Promise<WebhookInFrontOfCluster> {
  const stack = new AsyncDisposableStack();
  try {
    const { url, pki, minor } = stack.use(await startRealControlPlane(binaries));
    const certificate = await pki.clientCertificate('admin', ['system:masters']);
    const certificateAuthority = pki.authority.certificatePem;
    const connection = { server: url, certificateAuthority, clientCertificate: () => certificate };
    const client = new KubeClient(new HttpsTransport(connection));
    stack.defer(() => client.close());
    await installCurrent(client, minor);
    const metadata = { name: NAMESPACE, annotations: { 'fairway.dev/cloud': 'simulator' } };
    await client.resource(Namespaces).create({ metadata, spec: {} });

    const shared = { clock: systemClock, random: Math.random, log: silentLogger };
    const cloud = createCloud(shared);
    await cloud.listen({ host: '127.0.0.1', port: 0 });
    stack.defer(() => cloud.close());
    const closing: (() => Promise<void> | void)[] = [];
    stack.defer(async () => {
      for (const close of closing.toReversed()) await close();
    });
    const clouds = simulatedClouds({
      cloud,
      clock: systemClock,
      nameOf: (namespace) => (namespace === NAMESPACE ? 'simulator' : undefined),
      credentialOf: () => undefined,
      closing,
    });
    const gateway = await createManagementGateway({
      ...shared,
      connection,
      client,
      clouds,
      credentials: () => new ClusterCredentials(client, systemClock),
      unenforcedFields: () =>
        Promise.resolve({ 'spec.apiServer.allowedCIDRs': 'it is not enforced here: leave it out' }),
      host: '127.0.0.1',
      port: 0,
      identity: 'test',
      metrics: new GatewayMetrics(new Registry()),
      auditor: new RecordedAudit().auditor,
    });
    stack.defer(() => gateway.close());
    await eventuallyObject(client.resource(ValidatingWebhookConfigurations), { name: WEBHOOK }, () => true);
    const project = clouds.forNamespace(NAMESPACE);
    if (project === undefined) throw new Error(`namespace ${NAMESPACE} has no cloud`);
    const ids = await createTestObjects(client, project);
    return { client, ids, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}
