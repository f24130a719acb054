import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bootstrapTokenSecret, createBootstrapToken, tokenText } from './bootstrap-token.ts';

const expirationMs = Date.UTC(2026, 0, 1, 0, 30);

describe('createBootstrapToken', () => {
  it('has the format that Kubernetes requires', () => {
    expect(tokenText(createBootstrapToken(randomBytes, expirationMs))).toMatch(/^[a-z0-9]{6}\.[a-z0-9]{16}$/);
  });

  it('rejects bytes that would bias some characters', () => {
    const drawnBytes = [252, 255, 0, 1, 2, 3, 4, 5];
    const bytes = (size: number) => Uint8Array.from({ length: size }, () => drawnBytes.shift() ?? 35);
    expect(createBootstrapToken(bytes, expirationMs)).toMatchObject({ id: 'abcdef', secret: '9'.repeat(16) });
  });
});

describe('bootstrapTokenSecret', () => {
  it('contains the fields that the bootstrap token authenticator reads', () => {
    const secret = bootstrapTokenSecret(
      { id: 'abcdef', secret: '0123456789abcdef', expirationMs },
      'demo-general-x2k4q',
    );
    const decode = (key: string) => Buffer.from(secret.data?.[key] ?? '', 'base64').toString();
    expect(secret).toMatchObject({
      metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
      type: 'bootstrap.kubernetes.io/token',
    });
    expect(decode('token-secret')).toBe('0123456789abcdef');
    expect(decode('expiration')).toBe('2026-01-01T00:30:00Z');
    expect(decode('usage-bootstrap-authentication')).toBe('true');
    expect(decode('auth-extra-groups')).toMatch(/^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/);
  });
});
