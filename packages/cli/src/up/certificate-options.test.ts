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
  { options: { tlsCertFile: 'a' }, says: 'tls.certFile is set, but tls.keyFile (--tls-private-key-file) is not' },
  { options: { tlsPrivateKeyFile: 'a' }, says: 'tls.keyFile is set, but tls.certFile (--tls-cert-file) is not' },
  { options: { tlsCaFile: 'a' }, says: 'tls.caFile is set, but tls.certFile (--tls-cert-file) is not' },
])('refuses an incomplete pair: $says', ({ options, says }) => {
  expect(() => certificateOptions({ cwd: '/' }, options)).toThrow(says);
});
