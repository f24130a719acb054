import { expect, test } from 'vitest';
import { webhookConfiguration } from './webhook-configuration.ts';

const service = { name: 'fairway-gateway', namespace: 'fairway-system', path: '/admission/ff4a02' };

test.each([
  {
    url: 'https://fairway-gateway.fairway-system.svc:8443/admission/_0oC',
    where: { service: { ...service, port: 8443 } },
    reason: "kube-apiserver does not ask the cluster's DNS",
  },
  {
    url: 'https://fairway-gateway.fairway-system.svc/admission/_0oC',
    where: { service: { ...service, port: 443 } },
    reason: 'the port of https',
  },
  { url: 'https://192.0.2.7:8443/admission/_0oC', reason: 'an address is called as it is' },
  { url: 'https://fairway.example.com:8443/admission/_0oC', reason: "the machine's DNS knows it" },
  { url: 'https://a.b.svc.cluster.local/admission/_0oC', reason: "somebody's own domain may be called so" },
])('the webhook is called at $url: $reason', ({ url, where = { url } }) => {
  const { webhooks = [] } = webhookConfiguration({
    url,
    caBundle: 'pem',
    identity: { usernames: [], isCertain: true },
  });

  expect(webhooks.map(({ clientConfig }) => clientConfig)).toEqual(
    webhooks.map(() => ({ ...where, caBundle: Buffer.from('pem').toString('base64') })),
  );
});
