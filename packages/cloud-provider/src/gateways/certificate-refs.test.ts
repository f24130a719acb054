import { beforeAll, expect, test } from 'vitest';
import { readCertificate, type TlsCertificate } from '../tls/certificate.ts';
import { tlsData } from '../tls/testing/tls-secret.ts';
import { resolveCertificates, secretsOf } from './certificate-refs.ts';
import { parseReferenceGrant } from './parse.ts';
import { GatewaySpec } from './schemas.ts';

const GATEWAY_GROUP = 'gateway.networking.k8s.io';
const GATEWAY_REF = { group: GATEWAY_GROUP, kind: 'Gateway', namespace: 'default' };
const TO = { group: '', kind: 'Secret' };

let certificate: TlsCertificate;
beforeAll(async () => {
  certificate = readCertificate({ data: await tlsData('shop.example') }) as TlsCertificate;
});

/** The Secrets `shop` and `more` exist in each namespace; `junk` is invalid. */
function resolved(listeners: readonly (readonly object[])[], grant?: object) {
  const spec = GatewaySpec.parse({
    listeners: listeners.map((certificateRefs, index) => ({
      name: `l${index}`,
      port: 443,
      protocol: 'HTTPS',
      hostname: `l${index}.example`,
      tls: { certificateRefs },
    })),
  });
  const grants = grant ? [parseReferenceGrant({ metadata: {}, spec: grant })] : [];
  const context = {
    namespace: 'default',
    grantsOf: (namespace: string) => (namespace === 'other' ? grants : []),
    certificateOf: ({ name }: { readonly name: string }) =>
      name === 'none' ? { problem: 'there is no such Secret' } : name === 'junk' ? { problem: 'junk' } : certificate,
  };
  const all = resolveCertificates(spec.listeners, context);
  return {
    watched: secretsOf(spec.listeners, context).map(({ namespace, name }) => `${namespace}/${name}`),
    certificates: [...all.values()].map((each) => each.certificates.map(({ secret }) => secret.name)),
    reasons: [...all.values()].map(({ problems }) => problems.map(({ reason }) => reason)),
  };
}

test.each<{
  is: string;
  refs: object[];
  grant?: object;
  certificates: string[];
  reasons: string[];
  watched?: string[];
}>([
  { is: 'a Secret', refs: [{ name: 'shop' }], certificates: ['shop'], reasons: [] },
  { is: 'none', refs: [], certificates: [], reasons: ['InvalidCertificateRef'] },
  {
    is: 'several Secrets, each once',
    refs: [{ name: 'shop' }, { name: 'more' }, { name: 'shop' }],
    certificates: ['shop', 'more'],
    reasons: [],
  },
  {
    is: 'a missing Secret, which may have existed before',
    refs: [{ name: 'none' }],
    certificates: ['none'],
    reasons: ['InvalidCertificateRef'],
  },
  {
    is: 'an unreadable Secret together with a valid one',
    refs: [{ name: 'junk' }, { name: 'shop' }],
    certificates: ['junk', 'shop'],
    reasons: ['InvalidCertificateRef'],
  },
  {
    is: 'another group',
    refs: [{ group: 'acme.io', name: 'shop' }],
    certificates: [],
    reasons: ['InvalidCertificateRef'],
    watched: [],
  },
  {
    is: 'another kind',
    refs: [{ kind: 'ConfigMap', name: 'shop' }],
    certificates: [],
    reasons: ['InvalidCertificateRef'],
    watched: [],
  },
  {
    is: 'its own namespace, named explicitly',
    refs: [{ namespace: 'default', name: 'shop' }],
    certificates: ['shop'],
    reasons: [],
  },
  {
    is: 'another namespace, whether the Secret exists or not',
    refs: [{ namespace: 'other', name: 'none' }],
    certificates: [],
    reasons: ['RefNotPermitted'],
    watched: [],
  },
  {
    is: 'another namespace that grants all of its Secrets',
    refs: [{ namespace: 'other', name: 'shop' }],
    grant: { from: [GATEWAY_REF], to: [TO] },
    certificates: ['shop'],
    reasons: [],
    watched: ['other/shop'],
  },
  {
    is: 'another namespace that grants this Secret',
    refs: [{ namespace: 'other', name: 'shop' }],
    grant: { from: [GATEWAY_REF], to: [{ ...TO, name: 'shop' }] },
    certificates: ['shop'],
    reasons: [],
    watched: ['other/shop'],
  },
  {
    is: 'another namespace that grants another Secret',
    refs: [{ namespace: 'other', name: 'shop' }],
    grant: { from: [GATEWAY_REF], to: [{ ...TO, name: 'more' }] },
    certificates: [],
    reasons: ['RefNotPermitted'],
    watched: [],
  },
  {
    is: 'a grant for routes',
    refs: [{ namespace: 'other', name: 'shop' }],
    grant: { from: [{ ...GATEWAY_REF, kind: 'HTTPRoute' }], to: [TO] },
    certificates: [],
    reasons: ['RefNotPermitted'],
    watched: [],
  },
  {
    is: 'a grant for Gateways in another namespace',
    refs: [{ namespace: 'other', name: 'shop' }],
    grant: { from: [{ ...GATEWAY_REF, namespace: 'third' }], to: [TO] },
    certificates: [],
    reasons: ['RefNotPermitted'],
    watched: [],
  },
  {
    is: 'a grant for another group',
    refs: [{ namespace: 'other', name: 'shop' }],
    grant: { from: [{ ...GATEWAY_REF, group: '' }], to: [TO] },
    certificates: [],
    reasons: ['RefNotPermitted'],
    watched: [],
  },
  {
    is: 'a grant to Services',
    refs: [{ namespace: 'other', name: 'shop' }],
    grant: { from: [GATEWAY_REF], to: [{ ...TO, kind: 'Service' }] },
    certificates: [],
    reasons: ['RefNotPermitted'],
    watched: [],
  },
])('$is', ({ refs, grant, certificates, reasons, watched }) => {
  const result = resolved([refs], grant);

  expect(result.certificates).toEqual([certificates]);
  expect(result.reasons).toEqual([reasons]);
  expect(result.watched).toEqual(watched ?? certificates.map((name) => `default/${name}`));
});

test('reads only the first twenty references of a Gateway, across all listeners', () => {
  const many = Array.from({ length: 19 }, (_, index) => ({ name: `s${index}` }));
  const { certificates, reasons, watched } = resolved([many, [{ name: 's0' }, { name: 'last' }, { name: 'beyond' }]]);

  expect(watched).toHaveLength(20);
  expect(certificates[1]).toEqual(['s0', 'last']);
  expect(reasons).toEqual([[], ['InvalidCertificateRef']]);
});

test('reads the grants of at most twenty references, even if the references are invalid', () => {
  const foreign = Array.from({ length: 20 }, (_, index) => ({ namespace: 'other', name: `s${index}` }));
  const { certificates, reasons, watched } = resolved([foreign, [{ name: 'shop' }]]);

  expect(watched).toEqual([]);
  expect(certificates).toEqual([[], []]);
  expect(reasons).toEqual([foreign.map(() => 'RefNotPermitted'), ['InvalidCertificateRef']]);
});
