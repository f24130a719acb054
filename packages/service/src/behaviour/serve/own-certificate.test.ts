import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { listen } from '@fairway/apiserver/server/listener';
import { Traffic } from '@fairway/apiserver/server/traffic';
import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import { type CertificateAuthority, createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addCertificateMetrics } from '../../serve/certificate-metrics.ts';
import { type CertificateFiles, OwnCertificate } from '../../serve/own-certificate.ts';

const HOUR_MS = 3_600_000;
let folder: string;
let clock: FakeClock;
let authority: CertificateAuthority;
let files: CertificateFiles;
let ownCertificate: OwnCertificate | undefined;
/** The key of another certificate. */
let other: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fairway-own-'));
  clock = new FakeClock(Date.now());
  authority = await createCertificateAuthority({ commonName: 'operator', clock, validityMs: 100 * HOUR_MS });
  files = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key'), caFile: join(folder, 'ca.crt') };
  writeFileSync(join(folder, 'ca.crt'), authority.certificatePem);
  await replace(['fairway.example.com']);
  other = (await issue(['a'])).privateKeyPem ?? '';
});
afterEach(() => {
  ownCertificate?.close();
  ownCertificate = undefined;
  rmSync(folder, { recursive: true });
});

async function issue(dnsNames: readonly string[], validityMs = 10 * HOUR_MS) {
  return issueCertificate(authority, { commonName: 'x', dnsNames, usages: 'server', validityMs, clock });
}

async function replace(dnsNames: readonly string[], validityMs?: number): Promise<void> {
  const { certificatePem, privateKeyPem = '' } = await issue(dnsNames, validityMs);
  writeFileSync(files.certFile, certificatePem);
  writeFileSync(files.keyFile, privateKeyPem);
}

function open(): OwnCertificate {
  ownCertificate = new OwnCertificate(files, { clock, log: silentLogger });
  return ownCertificate;
}

/** The names in the certificate that a client gets for this server name. */
async function certificateShownTo(port: number, servername: string): Promise<string | undefined> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...(servername && { servername }) });
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  socket.once('secureConnect', () => resolve(socket.getPeerCertificate().subjectaltname)).once('error', reject);
  return promise.finally(() => socket.destroy());
}

test('presents the certificate to clients that request its names, and Fairway’s own to all other clients', async () => {
  const certificate = open();
  const { certificatePem, privateKeyPem = '' } = await issue(['localhost']);
  const listener = await listen(
    {
      host: '127.0.0.1',
      port: 0,
      tls: { cert: certificatePem, key: privateKeyPem },
      certificateFor: (name) => certificate.contextFor(name),
    },
    (_request, response) => response.end(),
    new Traffic({ clock }),
  );
  try {
    expect(await certificateShownTo(listener.port, 'fairway.example.com')).toBe('DNS:fairway.example.com');
    expect(await certificateShownTo(listener.port, 'localhost')).toBe('DNS:localhost');
    expect(await certificateShownTo(listener.port, '')).toBe('DNS:localhost');

    await replace(['fairway.example.com', 'new.example.com']);
    await clock.advance(60_000);
    expect(await certificateShownTo(listener.port, 'new.example.com')).toBe(
      'DNS:fairway.example.com, DNS:new.example.com',
    );

    writeFileSync(files.certFile, 'half a certifica');
    await clock.advance(60_000);
    expect(await certificateShownTo(listener.port, 'new.example.com')).toBe(
      'DNS:fairway.example.com, DNS:new.example.com',
    );

    await replace(['last.example.com']);
    await clock.advance(60_000);
    expect(await certificateShownTo(listener.port, 'last.example.com')).toBe('DNS:last.example.com');
  } finally {
    await listener.close();
  }
});

test('reads the CA from the CA file', () => {
  const { authority: reportedAuthority } = open();

  expect(reportedAuthority).toBe(`${authority.certificatePem.trim()}\n`);
});

test('gives clients a self-signed certificate as a CA, but not a publicly trusted one', () => {
  files = { certFile: files.certFile, keyFile: files.keyFile };
  expect(open().authority).toBeUndefined();
  ownCertificate?.close();

  writeFileSync(files.certFile, authority.certificatePem);
  writeFileSync(files.keyFile, authority.privateKeyPem);
  // A CA has no server names.
  expect(open).toThrow('has no subject alternative names');
});

test.each([
  {
    what: 'a key of another certificate',
    spoil: () => writeFileSync(files.keyFile, other),
    says: 'is not the key of the certificate in tls.certFile',
  },
  {
    what: 'an invalid certificate',
    spoil: () => writeFileSync(files.certFile, 'x'),
    says: /^tls\.certFile .*tls\.crt: /,
  },
  { what: 'an invalid key', spoil: () => writeFileSync(files.keyFile, 'x'), says: /^tls\.keyFile .*tls\.key: / },
  { what: 'a missing file', spoil: () => rmSync(files.keyFile), says: /^tls\.keyFile .*tls\.key: ENOENT/ },
  {
    what: 'a CA file without a certificate',
    spoil: () => writeFileSync(files.caFile ?? '', ''),
    says: 'contains no PEM certificate',
  },
])('refuses $what at startup, and names the configuration key', ({ spoil, says }) => {
  spoil();

  expect(open).toThrow(says);
});

test('refuses an expired certificate', async () => {
  await clock.advance(11 * HOUR_MS);

  expect(open).toThrow('the certificate expired on');
});

test('exports the expiry of the certificate and of its replacement as metrics', async () => {
  const registry = new Registry();
  addCertificateMetrics(registry, open());
  const expiresInHours = async () => {
    const [metric] = await registry.getMetricsAsJSON();
    return Math.round((Number(metric?.values[0]?.value) * 1000 - clock.now()) / HOUR_MS);
  };
  expect(await expiresInHours()).toBe(10);

  await replace(['fairway.example.com'], 50 * HOUR_MS);
  await clock.advance(60_000);

  expect(await expiresInHours()).toBe(50);
});
