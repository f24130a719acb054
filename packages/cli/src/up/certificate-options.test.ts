import { expect, test } from 'vitest';
import { certificateOptions } from './certificate-options.ts';

test('resolves files against the working directory', () => {
  expect(certificateOptions({ cwd: '/a' }, {})).toBeUndefined();
  expect(certificateOptions({ cwd: '/a' }, { tlsCertFile: 'b', tlsPrivateKeyFile: '/c' })).toEqual({
    certFile: '/a/b',
    keyFile: '/c',
    caFile: undefined,
  });
});

test.each([
  {
    options: { tlsCertFile: 'a' },
    expectedMessage: 'tls.certFile is set, but tls.keyFile (--tls-private-key-file) is not',
  },
  {
    options: { tlsPrivateKeyFile: 'a' },
    expectedMessage: 'tls.keyFile is set, but tls.certFile (--tls-cert-file) is not',
  },
  { options: { tlsCaFile: 'a' }, expectedMessage: 'tls.caFile is set, but tls.certFile (--tls-cert-file) is not' },
])('rejects an incomplete pair: $expectedMessage', ({ options, expectedMessage }) => {
  expect(() => certificateOptions({ cwd: '/' }, options)).toThrow(expectedMessage);
});
