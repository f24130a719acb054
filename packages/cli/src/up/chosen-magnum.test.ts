import { keystoneSettings } from '@fairway/identity/settings';
import { expect, test } from 'vitest';
import { chosenMagnum } from './chosen-magnum.ts';

const magnumListen = { host: '127.0.0.1', port: 9511 };
const keystone = keystoneSettings('a-cloud');

test('it is served where it is asked for', () => {
  expect(chosenMagnum({ magnumListen }, keystone)).toEqual(magnumListen);
  expect(chosenMagnum({}, undefined)).toBeUndefined();
});

test.each([
  { what: 'without users of Keystone', options: { magnumListen }, settings: undefined, words: /no cloud is named/ },
  {
    what: 'without the gateway',
    options: { magnumListen, gateway: false },
    settings: keystone,
    words: /through the gateway/,
  },
])('$what it is refused', ({ options, settings, words }) => {
  expect(() => chosenMagnum(options, settings)).toThrow(words);
});
