import { machines } from '@fairway/api/kinds/machine';
import { SIGNERS } from '@fairway/apiserver/auth/certificates/signers';
import type { UserInfo } from '@fairway/apiserver/auth/user';
import { TestFairway } from '@fairway/controllers/testing/test-fairway';
import type { CertificateSigningRequest } from '@fairway/kube/kinds/generated/types';
import { CertificateSigningRequests } from '@fairway/kube/kinds/resources';
import { createCertificateRequest } from '@fairway/kube/pki/certificate-request';
import { generateKeyPair } from '@fairway/kube/pki/key-pair';
import { eventually } from '@fairway/kube/testing/eventually';
import type { ClusterClouds } from '@fairway/tenancy/cloud/cluster-clouds';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCloudProvider } from '../../start.ts';

const FLOOD = 200;
const keys = await generateKeyPair();

describe(`${FLOOD} hostile CSRs in a cluster`, () => {
  let fairway: TestFairway;
  let clusterUid: string;
  let name: string;
  let token: UserInfo;
  let cloudLookups = 0;

  /** The clouds, with lookups counted. */
  function countClouds(clouds: ClusterClouds): ClusterClouds {
    return {
      of: (key: string, credential: string | undefined) => {
        cloudLookups += 1;
        return clouds.of(key, credential);
      },
      onProject: (listener: Parameters<ClusterClouds['onProject']>[0]) => clouds.onProject(listener),
    } as unknown as ClusterClouds;
  }

  beforeAll(async () => {
    fairway = await TestFairway.start({
      nodesJoin: false,
      // Approvals only, because the node controller lists servers too.
      runnables: (parts) => createCloudProvider({ ...parts, clouds: countClouds(parts.clouds) }).slice(1),
    });
    const cluster = await fairway.createCluster();
    clusterUid = cluster.metadata.uid ?? '';
    await fairway.createPool({ replicas: 1 });
    const [machine] = await fairway.until(machines, ([found]) => found?.status?.serverStatus === 'ACTIVE');
    if (machine === undefined) throw new Error('there is no machine');
    name = machine.metadata.name ?? '';
    const id = await fairway.process.bootstrapper.tokenID(await fairway.clusterOf(machine), machine);
    token = { username: `system:bootstrap:${id}`, groups: ['system:bootstrappers', 'system:authenticated'] };
  });
  afterAll(() => fairway[Symbol.asyncDispose]());

  async function request(commonName: string): Promise<string> {
    const pem = await createCertificateRequest({ keys, commonName, organizations: ['system:nodes'] });
    return Buffer.from(pem).toString('base64');
  }

  async function make(user: UserInfo, requestName: string, encoded: string, usages = ['client auth']): Promise<void> {
    const spec = { request: encoded, signerName: SIGNERS.kubeletClient, usages };
    const csr = {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: requestName },
    };
    await fairway.runtime
      .client(clusterUid, user)
      .resource(CertificateSigningRequests)
      .create({ ...csr, spec } satisfies CertificateSigningRequest);
  }

  test('cause no server reads and few writes, and do not block a kubelet', async () => {
    const [own, other] = [await request(`system:node:${name}`), await request('system:node:demo-general-zzzzz')];
    const large = Buffer.from(`${'x'.repeat(20_000)}\n${Buffer.from(own, 'base64').toString()}`).toString('base64');
    const authenticated = ['system:authenticated'];
    const attacks: readonly ((index: number) => Promise<void>)[] = [
      (index) => make({ username: `mallory-${index}`, groups: authenticated }, `stranger-${index}`, own),
      (index) => make({ username: `system:bootstrap:${index}`, groups: authenticated }, `token-${index}`, own),
      (index) => make(token, `elsewhere-${index}`, other),
      (index) => make(token, `large-${index}`, large),
      (index) => make(token, `usages-${index}`, own, ['client auth', 'cert sign']),
    ];
    const before = cloudLookups;

    for (let index = 0; index < FLOOD; index++) await attacks[index % attacks.length]?.(index);
    await make(token, 'honest', own);
    const asFairway = fairway.runtime.client(clusterUid).resource(CertificateSigningRequests);
    const isDecided = (csr: CertificateSigningRequest | undefined) => (csr?.status?.conditions?.length ?? 0) > 0;
    const [honestRequest] = await eventually(asFairway, { fieldSelector: 'metadata.name=honest' }, ([csr]) =>
      isDecided(csr),
    );
    const { items } = await asFairway.list();

    expect(honestRequest?.status?.conditions?.[0]?.type).toBe('Approved');
    expect(items).toHaveLength(FLOOD + 1);
    expect(items.filter((csr) => csr.status?.conditions?.some(({ type }) => type === 'Approved'))).toHaveLength(1);
    // The only lookup is for the honest machine.
    expect(cloudLookups - before).toBe(1);
  });
});
