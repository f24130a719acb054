import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@fairway/base/clock';
import { clusterAdminsBinding, endpointUrl, mintKubeconfig } from '@fairway/control-plane/kubeconfig';
import { type ClusterPki, trustBundle } from '@fairway/control-plane/pki/cluster-pki';
import {
  beginClusterRotation,
  completeClusterRotation,
  endClusterRotation,
  revokeKubeconfigs,
  switchSigners,
} from '@fairway/control-plane/pki/cluster-rotation';
import type { HttpsConnectionOptions } from '@fairway/kube/client/https-connections';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { parseKubeconfig } from '@fairway/kube/client/kubeconfig';
import type { ConfigMap, TokenRequest } from '@fairway/kube/kinds/generated/types';
import {
  CertificateSigningRequests,
  ClusterRoleBindings,
  ConfigMaps,
  Namespaces,
  ServiceAccounts,
} from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { createCertificateRequest } from '@fairway/kube/pki/certificate-request';
import { generateKeyPair, privateKeyToPem } from '@fairway/kube/pki/key-pair';
import { eventually, eventuallyObject } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRunning, ProcessCluster } from './process-runtime/process-cluster.ts';
import { testReleases } from './process-runtime/releases.ts';

const { offered } = await testReleases();
const described = offered ? `with Kubernetes ${offered.described}` : '(skipped: no binaries are found)';

describe.skipIf(offered === undefined)(`credentials of a control plane ${described}`, () => {
  let parent: string;
  let cluster: ProcessCluster;
  const clients: KubeClient[] = [];

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'fairway-credentials-'));
    cluster = await ProcessCluster.open(parent, offered?.assets(parent) ?? '', offered?.version ?? '');
    const admin = trackClient(await cluster.connect(await cluster.waitForState(isRunning)));
    await admin.resource(ClusterRoleBindings).create(clusterAdminsBinding());
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    await cluster?.runtime.close();
    await rm(parent, { recursive: true, force: true });
  });

  function trackClient(client: KubeClient): KubeClient {
    clients.push(client);
    return client;
  }

  /** The cluster as a user with a new kubeconfig sees it. */
  async function user(): Promise<KubeClient> {
    const { endpoint } = await cluster.waitForState(isRunning);
    const { kubeconfig } = await mintKubeconfig({
      clusterName: 'demo',
      endpoint: endpoint ?? { host: '', port: 0 },
      pki: cluster.spec.pki,
      username: 'alice',
      clock: systemClock,
    });
    const parsed = parseKubeconfig(kubeconfig);
    const text = (data: string | undefined) => Buffer.from(data ?? '', 'base64').toString();
    const [at] = parsed.clusters ?? [];
    const [as] = parsed.users ?? [];
    const identity = {
      certificate: text(as?.user['client-certificate-data']),
      privateKey: text(as?.user['client-key-data']),
    };
    return trackClient(
      new KubeClient(
        new HttpsTransport({
          server: at?.cluster.server ?? '',
          certificateAuthority: text(at?.cluster['certificate-authority-data']),
          clientCertificate: () => identity,
          clock: systemClock,
        }),
      ),
    );
  }

  const canReadNamespace = (client: KubeClient) => client.resource(Namespaces).get('default');

  test('refuse revoked kubeconfigs and end their watches, while everything else continues', async () => {
    const formerUser = await user();
    await canReadNamespace(formerUser);
    const watching = (async () => {
      let last = '';
      for await (const { type } of formerUser.resource(ConfigMaps).watch({ namespace: 'default' })) last = type;
      return last;
    })();

    cluster.spec = { ...cluster.spec, pki: await revokeKubeconfigs(cluster.spec.pki, 'now', systemClock) };
    const state = await cluster.waitForState(isRunning);

    await expect(canReadNamespace(formerUser)).rejects.toMatchObject({ code: 401 });
    await watching.catch(() => 'ended');
    await canReadNamespace(await user());
    await canReadNamespace(trackClient(await cluster.connect(state)));
  });

  /** A client with a certificate signed by the controller manager, like a kubelet's, and trusts the current CAs. */
  async function kubeletClient(admin: KubeClient, name: string): Promise<KubeClient> {
    const keys = await generateKeyPair();
    const commonName = `system:node:${name}`;
    const pem = await createCertificateRequest({ keys, commonName, organizations: ['system:nodes'] });
    const requests = admin.resource(CertificateSigningRequests);
    const created = await requests.create({
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name },
      spec: {
        request: Buffer.from(pem).toString('base64'),
        signerName: 'kubernetes.io/kube-apiserver-client',
        usages: ['digital signature', 'client auth'],
      },
    });
    const condition = { type: 'Approved', status: 'True', reason: 'Test', message: '' };
    await requests.updateSubresource(name, 'approval', { ...created, status: { conditions: [condition] } });
    const [signed] = await eventually(
      requests,
      { fieldSelector: `metadata.name=${name}` },
      ([found]) => found?.status?.certificate !== undefined,
    );
    const certificate = Buffer.from(signed?.status?.certificate ?? '', 'base64').toString();
    const privateKey = await privateKeyToPem(keys.privateKey);
    return connectAs({ clientCertificate: () => ({ certificate, privateKey }) });
  }

  async function tokenFrom(admin: KubeClient): Promise<string> {
    const body = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: {},
      spec: { audiences: [] },
    };
    const accounts = admin.resource(ServiceAccounts);
    // kube-controller-manager creates the account some time after the namespace.
    await eventuallyObject(accounts, { namespace: 'default', name: 'default' });
    const { status } = await accounts.createSubresource<TokenRequest>('default', 'token', body, {
      namespace: 'default',
    });
    return status?.token ?? '';
  }

  /** A client that trusts the current CAs. */
  function connectAs(identity: Pick<HttpsConnectionOptions, 'clientCertificate' | 'bearerToken'>): KubeClient {
    const { endpoint, pki } = cluster.spec;
    return trackClient(
      new KubeClient(
        new HttpsTransport({
          server: endpointUrl(endpoint ?? { host: '', port: 0 }),
          certificateAuthority: trustBundle(pki.cluster),
          ...identity,
          clock: systemClock,
        }),
      ),
    );
  }

  /** Whether the API server authenticates the client, regardless of its permissions. */
  async function isKnown(client: KubeClient): Promise<boolean> {
    try {
      await canReadNamespace(client);
      return true;
    } catch (error) {
      if (isApiError(error, 'Forbidden')) return true;
      if (isApiError(error, 'Unauthorized')) return false;
      throw error;
    }
  }

  async function enter(pki: ClusterPki): Promise<KubeClient> {
    cluster.spec = { ...cluster.spec, pki };
    return trackClient(await cluster.connect(await cluster.waitForState(isRunning)));
  }

  test('preserve access during a rotation for all prepared clients, but for no others', async () => {
    const { endpoint } = await cluster.waitForState(isRunning);
    cluster.spec = { ...cluster.spec, endpoint };
    const first = await enter(cluster.spec.pki);
    const before = { user: await user(), kubelet: await kubeletClient(first, 'old'), token: await tokenFrom(first) };

    await enter(await beginClusterRotation(cluster.spec.pki, 'monday', systemClock));
    const preparedSpec = await enter(await switchSigners(cluster.spec.pki, systemClock));
    const known = [before.user, before.kubelet, connectAs({ bearerToken: () => before.token })];
    expect(await Promise.all(known.map(isKnown))).toEqual([true, true, true]);
    const next = {
      user: await user(),
      kubelet: await kubeletClient(preparedSpec, 'next'),
      token: await tokenFrom(preparedSpec),
    };
    const following = [next.user, next.kubelet, connectAs({ bearerToken: () => next.token })];
    expect(await Promise.all(following.map(isKnown))).toEqual([true, true, true]);
    await eventually(
      preparedSpec.resource<ConfigMap>(ConfigMaps),
      { namespace: 'default', fieldSelector: 'metadata.name=kube-root-ca.crt' },
      ([published]) => published?.data?.['ca.crt'] === trustBundle(cluster.spec.pki.cluster),
    );

    await enter(completeClusterRotation(cluster.spec.pki, systemClock));
    const last = await enter(endClusterRotation(cluster.spec.pki, systemClock));
    await canReadNamespace(last);
    expect(await Promise.all(following.map(isKnown))).toEqual([true, true, true]);
    // The API server no longer presents a certificate that the old clients trust, and no longer accepts their
    // certificates.
    await expect(canReadNamespace(before.user)).rejects.toThrow(/certificate|self.signed/i);
    await expect(canReadNamespace(before.kubelet)).rejects.toThrow(/certificate|self.signed/i);
    expect(await isKnown(connectAs({ bearerToken: () => before.token }))).toBe(false);
    expect(await isKnown(connectAs({ bearerToken: () => next.token }))).toBe(true);
  });
});
