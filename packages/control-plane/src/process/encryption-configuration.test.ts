import { expect, test } from 'vitest';
import { encryptionConfiguration } from './encryption-configuration.ts';

test.each([
  { version: '1.20.2', resources: ['secrets'], reason: 'it knows no wildcards' },
  { version: '1.26.15', resources: ['secrets'], reason: 'the last one that knows none' },
  { version: '1.27.0', resources: ['*.*'], reason: 'the first one that knows them' },
  { version: '1.36.3', resources: ['*.*'], reason: 'a current one' },
])('kube-apiserver $version encrypts $resources, because $reason', ({ version, resources }) => {
  expect(encryptionConfiguration('a2V5', version)).toMatchObject({ resources: [{ resources }] });
});

test('the first provider encrypts, and data that is plain or encrypted like earlier Secrets stays readable', () => {
  expect(encryptionConfiguration('a2V5', '1.36.3')).toMatchObject({
    resources: [{ providers: [{ secretbox: { keys: [{ name: 'key1', secret: 'a2V5' }] } }, { identity: {} }] }],
  });
});
