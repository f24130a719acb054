import { expect, test } from 'vitest';
import { webhookConfiguration } from './webhook-configuration.ts';

const service = { name: 'fairway-gateway', namespace: 'fairway-system', path: '/admission/ff4a02' };

test.each([
  {
    url: 'https://fairway-gateway.fairway-system.svc:8443/admission/_0oC',
    where: { service: { ...service, port: 8443 } },
    reason: "kube-apiserver does not use the cluster's DNS",
  },
  {
    url: 'https://fairway-gateway.fairway-system.svc/admission/_0oC',
    where: { service: { ...service, port: 443 } },
    reason: 'the default port of HTTPS',
  },
  { url: 'https://192.0.2.7:8443/admission/_0oC', reason: 'an address is called directly' },
  { url: 'https://fairway.example.com:8443/admission/_0oC', reason: "the machine's DNS resolves it" },
  { url: 'https://a.b.svc.cluster.local/admission/_0oC', reason: 'it may be a domain of the operator' },
])('kube-apiserver calls the webhook at $url: $reason', ({ url, where = { url } }) => {
  const { webhooks = [] } = webhookConfiguration({
    url,
    caBundle: 'pem',
    identity: { usernames: [], isCertain: true },
  });

  expect(webhooks.map(({ clientConfig }) => clientConfig)).toEqual(
    webhooks.map(() => ({ ...where, caBundle: Buffer.from('pem').toString('base64') })),
  );
});
