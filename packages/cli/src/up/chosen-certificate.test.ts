import { expect, test } from 'vitest';
import { chosenCertificate } from './chosen-certificate.ts';

test('files are taken from the working directory', () => {
  expect(chosenCertificate({ cwd: '/a' }, {})).toBeUndefined();
  expect(chosenCertificate({ cwd: '/a' }, { tlsCertFile: 'b', tlsPrivateKeyFile: '/c' })).toEqual({
    certFile: '/a/b',
    keyFile: '/c',
    caFile: undefined,
  });
});

test.each([
  { options: { tlsCertFile: 'a' }, says: 'tls.certFile is set, and tls.keyFile (--tls-private-key-file) is not' },
  { options: { tlsPrivateKeyFile: 'a' }, says: 'tls.keyFile is set, and tls.certFile (--tls-cert-file) is not' },
  { options: { tlsCaFile: 'a' }, says: 'tls.caFile is set, and tls.certFile (--tls-cert-file) is not' },
])('half of it is refused: $says', ({ options, says }) => {
  expect(() => chosenCertificate({ cwd: '/' }, options)).toThrow(says);
});
