import { FakeClock } from '@fairway/base/clock-fake';
import { parseKubeconfig } from '@fairway/kube/client/kubeconfig';
import { certificateInfo } from '@fairway/kube/pki/certificate-info';
import { describe, expect, it } from 'vitest';
import { endpointUrl, type KubeconfigMintOptions, mintKubeconfig } from './kubeconfig.ts';
import { createClusterPki } from './pki/cluster-pki.ts';

const clock = new FakeClock();
const pki = await createClusterPki(clock);
const mintOptions: KubeconfigMintOptions = {
  clusterName: 'demo',
  endpoint: { host: '127.0.0.1', port: 6443 },
  pki,
  username: 'alice@example.com',
  clock,
};

describe('mintKubeconfig', () => {
  it('names its user and a group whose role binding can be deleted, and expires', async () => {
    const { kubeconfig, expirationTimestamp } = await mintKubeconfig({ ...mintOptions, expirationSeconds: 600 });
    expect(expirationTimestamp).toBe('2026-01-01T00:10:00Z');
    const parsed = parseKubeconfig(kubeconfig);
    expect(parsed.clusters[0]?.cluster.server).toBe('https://127.0.0.1:6443');
    const data = parsed.users[0]?.user['client-certificate-data'] ?? '';
    expect(certificateInfo(Buffer.from(data, 'base64').toString())).toMatchObject({
      commonName: 'alice@example.com',
      organizations: ['fairway:cluster-admins'],
      notAfterMs: clock.now() + 600_000,
    });
  });

  it('expires after an hour by default', async () => {
    expect((await mintKubeconfig(mintOptions)).expirationTimestamp).toBe('2026-01-01T01:00:00Z');
  });

  it.each([
    [{ expirationSeconds: 599 }, 'must be between 600 and 86400'],
    [{ expirationSeconds: 86_401 }, 'must be between 600 and 86400'],
    [{ username: 'system:admin' }, 'is reserved for Kubernetes'],
  ])('refuses %j', async (change, message) => {
    await expect(mintKubeconfig({ ...mintOptions, ...change })).rejects.toThrow(message);
  });
});

describe('endpointUrl', () => {
  it.each([
    ['demo.example.com', 'https://demo.example.com:443'],
    ['::1', 'https://[::1]:443'],
  ])('formats %s', (host, url) => {
    expect(endpointUrl({ host, port: 443 })).toBe(url);
  });
});
