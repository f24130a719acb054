import { expect, test } from 'vitest';
import { type ConsoleObservation, consoleFindings } from './console.ts';

const ways = { keystone: true, singleSignOn: ['Company'] };

test.each<{ reason: string; seen: ConsoleObservation; says: readonly string[] }>([
  {
    reason: 'all is well',
    seen: { pageStatus: 200, ways },
    says: ['ok: https://fairway.example.org/console/, for Keystone users, Company'],
  },
  {
    reason: 'no users of Keystone are let in, and Fairway has made its certificate itself',
    seen: { pageStatus: 200, ways: { keystone: false, singleSignOn: [] }, distrust: 'SELF_SIGNED_CERT_IN_CHAIN' },
    says: [
      'ok: https://fairway.example.org/console/, for tokens alone; browsers warn of its certificate (SELF_SIGNED_CERT_IN_CHAIN)',
    ],
  },
  { reason: 'the console is not built', seen: { pageStatus: 503 }, says: ['warning: the console is not built'] },
  {
    reason: 'something in between changes requests',
    seen: { pageStatus: 200 },
    says: ['warning: the console offers no way to sign in'],
  },
  { reason: 'it is turned off', seen: { pageStatus: 404 }, says: [] },
  { reason: 'kube-apiserver is asked', seen: { pageStatus: 403 }, says: [] },
])('$reason', ({ seen, says }) => {
  const found = consoleFindings(seen, 'https://fairway.example.org');

  expect(found.map(({ status, detail }) => `${status}: ${detail}`)).toEqual(says);
});
