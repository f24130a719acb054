import type { WebhookObservation } from '@fairway/service/serve/webhook-observation';
import { expect, test } from 'vitest';
import { webhookFindings } from './webhook.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const healthy: WebhookObservation = {
  name: 'admission.fairway.dev',
  faults: [],
  origin: 'https://gateway.example.org:8443',
  probe: { kind: 'trusted', validTo: 'Jan  1 00:00:00 2027 GMT' },
};

test.each([
  {
    reason: 'it is healthy',
    webhook: healthy,
    says: ['ok: kube-apiserver calls https://gateway.example.org:8443, which answers', 'ok: valid until 2027-01-01'],
  },
  {
    reason: 'no gateway ever ran',
    webhook: undefined,
    says: ['error: no webhook is registered: changes are not checked against plans, quota and the cloud'],
  },
  {
    reason: 'its failure policy was weakened',
    webhook: { ...healthy, faults: ['admission.fairway.dev: Ignore, not Fail'] },
    says: [
      'error: ValidatingWebhookConfiguration admission.fairway.dev was changed: admission.fairway.dev: Ignore, not Fail',
      'ok: valid until 2027-01-01',
    ],
  },
  {
    reason: 'its address was removed',
    webhook: { ...healthy, origin: undefined, probe: undefined },
    says: [
      'error: ValidatingWebhookConfiguration admission.fairway.dev has no address: start a gateway, which registers one',
    ],
  },
  {
    reason: 'a load balancer terminates TLS',
    webhook: { ...healthy, probe: { kind: 'distrusted', code: 'SELF_SIGNED_CERT_IN_CHAIN' } as const },
    says: [
      'error: https://gateway.example.org:8443 answers with a certificate that the registered caBundle does not verify (SELF_SIGNED_CERT_IN_CHAIN)',
    ],
  },
  {
    reason: 'the certificate lacks the name of its URL',
    webhook: { ...healthy, probe: { kind: 'distrusted', code: 'ERR_TLS_CERT_ALTNAME_INVALID' } as const },
    says: ['error: https://gateway.example.org:8443 answers with a certificate that is for other names'],
  },
  {
    reason: 'no gateway is running, or none is reachable from this machine',
    webhook: { ...healthy, probe: { kind: 'silent', code: 'ECONNREFUSED' } as const },
    says: [
      'warning: https://gateway.example.org:8443 does not answer from here (ECONNREFUSED); if kube-apiserver cannot reach it either, it rejects changes of Clusters and NodePools',
    ],
  },
])('fairway doctor reports the state of the webhook when $reason', ({ webhook, says }) => {
  const findings = webhookFindings(webhook, NOW_MS);

  expect(findings.map(({ status, detail }) => `${status}: ${detail}`)).toEqual(says);
  expect(findings.every(({ status, advice }) => status === 'ok' || advice !== undefined)).toBe(true);
});
