import { keystoneSettings } from '@fairway/identity/settings';
import { expect, test } from 'vitest';
import { magnumOptions } from './magnum-options.ts';

const magnumListen = { host: '127.0.0.1', port: 9511 };
const keystone = keystoneSettings('a-cloud');

test('it is served where it is asked for', () => {
  expect(magnumOptions({ magnumListen }, keystone)).toEqual(magnumListen);
  expect(magnumOptions({}, undefined)).toBeUndefined();
});

test.each([
  {
    what: 'without users of Keystone',
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
])('$what it is refused', ({ options, settings, words }) => {
  expect(() => magnumOptions(options, settings)).toThrow(words);
});
