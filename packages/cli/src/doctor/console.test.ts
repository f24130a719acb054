import { expect, test } from 'vitest';
import { type ConsoleObservation, consoleFindings } from './console.ts';

const ways = { keystone: true, singleSignOn: ['Company'] };

test.each<{ reason: string; seen: ConsoleObservation; expectedLines: readonly string[] }>([
  {
    reason: 'a healthy console',
    seen: { pageStatus: 200, signInMethods: ways },
    expectedLines: ['ok: https://fairway.example.org/console/, for Keystone users, Company'],
  },
  {
    reason: 'no Keystone users allowed, and a self-signed certificate',
    seen: {
      pageStatus: 200,
      signInMethods: { keystone: false, singleSignOn: [] },
      certificateError: 'SELF_SIGNED_CERT_IN_CHAIN',
    },
    expectedLines: [
      'ok: https://fairway.example.org/console/, for tokens alone; browsers warn of its certificate (SELF_SIGNED_CERT_IN_CHAIN)',
    ],
  },
  {
    reason: 'a console that is not built',
    seen: { pageStatus: 503 },
    expectedLines: ['warning: the console is not built'],
  },
  {
    reason: 'a proxy that changes requests',
    seen: { pageStatus: 200 },
    expectedLines: ['warning: the console offers no way to sign in'],
  },
  { reason: 'a console that is turned off', seen: { pageStatus: 404 }, expectedLines: [] },
  { reason: 'kube-apiserver instead of Fairway', seen: { pageStatus: 403 }, expectedLines: [] },
])('reports $reason', ({ seen, expectedLines }) => {
  const found = consoleFindings(seen, 'https://fairway.example.org');

  expect(found.map(({ status, detail }) => `${status}: ${detail}`)).toEqual(expectedLines);
});
