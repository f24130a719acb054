import { createPrivateKey, sign } from 'node:crypto';

/** The same token with different claims, signed with Fairway's own key. */
export function resign(token: string, privateKeyPem: string, claims: Readonly<Record<string, number>>): string {
  const [header = '', payload = ''] = token.split('.');
  const { alg } = decode(header) as { alg: string };
  const content = `${header}.${encode({ ...decode(payload), ...claims })}`;
  const key = createPrivateKey(privateKeyPem);
  const signature =
    alg === 'ES256'
      ? sign('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' })
      : sign('sha256', Buffer.from(content), key);
  return `${content}.${signature.toString('base64url')}`;
}

/** The same token with one letter changed in its signature. */
export function tamper(token: string): string {
  const [header = '', payload = '', signature = ''] = token.split('.');
  return `${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
}

function decode(part: string): object {
  return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as object;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
