import { keystoneSettings } from '@fairway/identity/settings';
import { expect, test } from 'vitest';
import { magnumOptions } from './magnum-options.ts';

const magnumListen = { host: '127.0.0.1', port: 9511 };
const keystone = keystoneSettings('a-cloud');

test('serves Magnum’s API at the requested address', () => {
  expect(magnumOptions({ magnumListen }, keystone)).toEqual(magnumListen);
  expect(magnumOptions({}, undefined)).toBeUndefined();
});

test.each([
  {
    what: 'without Keystone users',
    options: { magnumListen },
    settings: undefined,
    words: /no Keystone is configured/,
  },
  {
    what: 'without the gateway',
    options: { magnumListen, gateway: false },
    settings: keystone,
    words: /uses the gateway/,
  },
])('refuses to serve Magnum’s API $what', ({ options, settings, words }) => {
  expect(() => magnumOptions(options, settings)).toThrow(words);
});
