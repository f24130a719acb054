import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type CertificateRequest,
  isRequestSignatureValid,
  parseCertificateRequest,
} from '../../pki/certificate-request.ts';
import { derContents, TAG } from '../../pki/der.ts';
import { PkiError } from '../../pki/pki-error.ts';
import { ambiguousRequests } from '../../pki/testing/ambiguous-requests.ts';
import {
  craftDer,
  craftPem,
  dns,
  email,
  extensionRequest,
  ip,
  names,
  part,
  requestPem,
  STRINGS,
  signedRequest,
  uri,
} from '../../pki/testing/crafted-request.ts';
import { buildGoParser, isInstalled, parseWithGo, parseWithOpenssl } from '../../pki/testing/reference-parsers.ts';

const MUTATIONS = 4_000;
const MAX_OPENSSL_CHECKS = 40;
const hasTools = isInstalled('go', 'version') && isInstalled('openssl', 'version');

const node = 'system:node:demo-a';
const SAN = extensionRequest(names(dns('demo-a'), ip(10, 0, 0, 9), ip(0xfd, ...Array<number>(14).fill(0), 1)));
const ADDITIONAL_NAMES = extensionRequest(names(email('a@example.org'), uri('spiffe://example.org/ns/a'), dns('b')));
const SEEDS = [
  { subject: [part('O', 'system:nodes', STRINGS.printable), part('CN', node, STRINGS.printable)] },
  { subject: [part('O', 'system:nodes'), part('CN', node)], attributes: [SAN] },
  { subject: [part('CN', 'jane ü'), part('O', 'a'), part('O', 'b')], attributes: [ADDITIONAL_NAMES] },
];

/** A reproducible sequence of numbers from 0 to 1 (mulberry32). */
function sequenceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Changes, adds, removes or repeats some bytes. */
function mutate(bytes: Buffer, random: () => number): Buffer {
  const at = Math.floor(random() * bytes.length);
  const length = 1 + Math.floor(random() * 4);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  const noise = Buffer.from([Math.floor(random() * 256)]);
  switch (Math.floor(random() * 5)) {
    case 0:
      return Buffer.concat([before, noise, after.subarray(1)]);
    case 1:
      return Buffer.concat([before, noise, after]);
    case 2:
      return Buffer.concat([before, after.subarray(length)]);
    case 3:
      return Buffer.concat([before, after.subarray(0, length * 8), after]);
    default: {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ (1 << Math.floor(random() * 8));
      return changed;
    }
  }
}

/** A mutation of the PEM text, of the signed part (re-signed) or of the whole DER. */
function mutatedRequest(random: () => number): string {
  const seed = SEEDS[Math.floor(random() * SEEDS.length)] ?? { subject: [] };
  const der = craftDer(seed);
  if (random() < 0.3) return mutate(Buffer.from(requestPem(der), 'latin1'), random).toString('latin1');
  if (random() < 0.1) return requestPem(mutate(der, random));
  const info = derContents(der, TAG.sequence)[0]?.bytes ?? der;
  // The key stays unchanged, because otherwise nothing after it would be examined.
  return requestPem(signedRequest(mutate(info, random)));
}

function read(pem: string): CertificateRequest | undefined {
  try {
    const request = parseCertificateRequest(pem);
    return isRequestSignatureValid(request) ? request : undefined;
  } catch (error) {
    if (error instanceof PkiError) return undefined;
    throw error;
  }
}

function goResultOf(request: CertificateRequest) {
  const { commonName, organizations, dnsNames, ipAddresses, emailAddresses, uris, subject } = request;
  const others = subject.length - organizations.length;
  return { commonName, organizations, others, dnsNames, ipAddresses, emailAddresses, uris };
}

function opensslResultOf({ subject, dnsNames, ipAddresses, emailAddresses, uris }: CertificateRequest) {
  return {
    subject: subject.map(({ type, value }) => `${type}=${value}`).join(','),
    names: [
      ...dnsNames.map((name) => `DNS:${name}`),
      ...ipAddresses.map((address) => `IP Address:${address}`),
      ...emailAddresses.map((address) => `email:${address}`),
      ...uris.map((one) => `URI:${one}`),
    ].sort(),
  };
}

describe.skipIf(!hasTools)(
  'Go and openssl read accepted requests as Fairway does (skipped if one is not installed)',
  () => {
    let directory: string;
    let reader: string;
    beforeAll(() => {
      directory = mkdtempSync(join(tmpdir(), 'readers-'));
      reader = buildGoParser(directory);
    }, 1_800_000); // The first build compiles the standard library.
    afterAll(() => rmSync(directory, { recursive: true, force: true }));

    function expectParity(pems: readonly string[], maxOpensslChecks: number): number {
      const accepted = pems.map((pem) => ({ pem, request: read(pem) })).filter(({ request }) => request !== undefined);
      const goResults = parseWithGo(
        reader,
        accepted.map(({ pem }) => pem),
      );
      for (const [index, { pem, request }] of accepted.entries()) {
        if (request === undefined) continue;
        expect({ pem, reading: goResults[index] }).toEqual({ pem, reading: goResultOf(request) });
      }
      const step = Math.max(1, Math.floor(accepted.length / maxOpensslChecks));
      for (const [index, { pem, request }] of accepted.entries()) {
        if (request === undefined || index % step !== 0) continue;
        const reading = parseWithOpenssl(pem);
        const sorted = reading && { ...reading, names: [...reading.names].sort() };
        expect({ pem, reading: sorted }).toEqual({ pem, reading: opensslResultOf(request) });
      }
      return accepted.length;
    }

    test('valid requests', () => {
      const pems = SEEDS.map(craftPem);
      expect(expectParity(pems, MAX_OPENSSL_CHECKS)).toBe(SEEDS.length);
    });

    test(`${MUTATIONS} mutations of PEM and DER`, () => {
      const random = sequenceOf(24);
      const pems = Array.from({ length: MUTATIONS }, () => mutatedRequest(random));
      expect(expectParity(pems, MAX_OPENSSL_CHECKS)).toBeGreaterThan(MUTATIONS / 100);
    });

    test('attacks are refused, even though Go accepts many of them', () => {
      const target = { node, ownNames: [dns('demo-a')], foreignNode: 'system:node:demo-b', foreignNames: [dns('c')] };
      const attacks = ambiguousRequests(target).map(({ pem }) => pem);
      expect(expectParity(attacks, MAX_OPENSSL_CHECKS)).toBe(0);
      expect(parseWithGo(reader, attacks).filter((reading) => !('error' in reading)).length).toBeGreaterThan(15);
    });
  },
);
