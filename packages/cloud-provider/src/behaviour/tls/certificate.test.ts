import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { MAX_TLS_DATA_LENGTH, readCertificate, type TlsCertificate } from '../../tls/certificate.ts';
import { pkcs12Of } from '../../tls/pkcs12.ts';
import { base64, tlsData } from '../../tls/testing/tls-secret.ts';

const SHOP = await tlsData('shop.example');
const OTHER = await tlsData('other.example');

function keyOf(type: 'ed25519' | 'rsa', passphrase?: string): string {
  const options = { ...(type === 'rsa' && { modulusLength: 2048 }) };
  const { privateKey } = generateKeyPairSync(type as 'rsa', options as { modulusLength: number });
  const secret = passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase };
  return base64(privateKey.export({ type: 'pkcs8', format: 'pem', ...secret } as never) as string);
}

test.each<{ is: string; data: Record<string, string> | undefined; problem: string }>([
  { is: 'nothing', data: undefined, problem: 'it has no tls.crt' },
  { is: 'no key', data: { ...SHOP, 'tls.key': '' }, problem: 'it has no tls.key' },
  {
    is: 'a key that is not PEM',
    data: { ...SHOP, 'tls.key': base64('junk') },
    problem: 'tls.key is not an unencrypted PEM private key',
  },
  {
    is: 'a key with a passphrase',
    data: { ...SHOP, 'tls.key': keyOf('rsa', 'p') },
    problem: 'tls.key is not an unencrypted PEM private key',
  },
  {
    is: 'a key of a type that Octavia does not accept',
    data: { ...SHOP, 'tls.key': keyOf('ed25519') },
    problem: 'tls.key is of type ed25519, but must be RSA or ECDSA',
  },
  {
    is: 'no certificate',
    data: { ...SHOP, 'tls.crt': base64('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----') },
    problem: 'tls.crt must contain 1 to 10 PEM certificates',
  },
  {
    is: 'too many certificates',
    data: {
      ...SHOP,
      'tls.crt': base64(
        Buffer.from(SHOP['tls.crt'] ?? '', 'base64')
          .toString()
          .repeat(6),
      ),
    },
    problem: 'tls.crt must contain 1 to 10 PEM certificates',
  },
  {
    is: 'the key of another certificate',
    data: { 'tls.crt': SHOP['tls.crt'] ?? '', 'tls.key': OTHER['tls.key'] ?? '' },
    problem: 'tls.key does not match the first certificate in tls.crt',
  },
  {
    is: 'more data than Barbican accepts',
    data: { ...SHOP, 'tls.crt': 'A'.repeat(MAX_TLS_DATA_LENGTH) },
    problem: `tls.crt and tls.key are longer than ${MAX_TLS_DATA_LENGTH} bytes of base64`,
  },
])('reports what is wrong with a Secret with $is', ({ data, problem }) => {
  expect(readCertificate({ ...(data && { data }) })).toEqual({ problem });
});

test('includes everything that is served in the fingerprint', () => {
  const [shop, again, other] = [SHOP, SHOP, OTHER].map((data) => readCertificate({ data }) as TlsCertificate);
  const alone =
    Buffer.from(SHOP['tls.crt'] ?? '', 'base64')
      .toString()
      .split(/(?<=END CERTIFICATE-----)/)[0] ?? '';
  const short = readCertificate({ data: { ...SHOP, 'tls.crt': base64(alone) } }) as TlsCertificate;

  expect(shop?.fingerprint).toBe(again?.fingerprint);
  expect(new Set([shop, other, short].map((each) => each?.fingerprint)).size).toBe(3);
});

test('puts the key and the chain in a bundle that opens with an empty passphrase', async () => {
  const certificate = readCertificate({ data: SHOP }) as TlsCertificate;
  const bundle = await pkcs12Of(certificate);

  const words = ['pkcs12', '-passin', 'pass:', '-nodes'];
  const read = execFileSync('openssl', words, { input: bundle, stdio: 'pipe' }).toString();
  expect(read.match(/BEGIN [A-Z ]+/g)).toEqual(['BEGIN PRIVATE KEY', 'BEGIN CERTIFICATE', 'BEGIN CERTIFICATE']);
  expect(bundle.toString('base64').length).toBeLessThan(20_000);
});
