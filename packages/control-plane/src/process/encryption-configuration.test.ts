import { expect, test } from 'vitest';
import { encryptionConfiguration } from './encryption-configuration.ts';

test.each([
  { version: '1.20.2', resources: ['secrets'], reason: 'the version has no wildcards' },
  { version: '1.26.15', resources: ['secrets'], reason: 'the version is the last one without wildcards' },
  { version: '1.27.0', resources: ['*.*'], reason: 'the version is the first one with wildcards' },
  { version: '1.36.3', resources: ['*.*'], reason: 'the version is current' },
])('encrypts $resources with kube-apiserver $version, because $reason', ({ version, resources }) => {
  expect(encryptionConfiguration('a2V5', version)).toMatchObject({ resources: [{ resources }] });
});

test('encrypts with the first provider, and still reads plaintext and data encrypted as Secrets used to be', () => {
  expect(encryptionConfiguration('a2V5', '1.36.3')).toMatchObject({
    resources: [{ providers: [{ secretbox: { keys: [{ name: 'key1', secret: 'a2V5' }] } }, { identity: {} }] }],
  });
});
