import { expect, test } from 'vitest';
import { parseAdvertiseAddress, parseSubjectAltNames } from './advertise-address.ts';

test.each([
  { text: 'fairway.example.com', host: 'fairway.example.com', port: undefined },
  { text: 'fairway.example.com:443', host: 'fairway.example.com', port: 443 },
  { text: '192.0.2.7', host: '192.0.2.7', port: undefined },
  { text: '2001:db8::1', host: '2001:db8::1', port: undefined },
  { text: '[2001:db8::1]:443', host: '2001:db8::1', port: 443 },
])('advertises $text', ({ text, host, port }) => {
  expect(parseAdvertiseAddress(text)).toEqual({ host, port });
});

test.each([
  '',
  '0.0.0.0',
  '::',
  '[::]:443',
  ':443',
  'a b',
  'https://a',
  'a:0',
  'a:65536',
  'a/b',
  '-a',
  `${'a'.repeat(64)}.b`,
])('does not advertise "%s"', (text) => {
  expect(() => parseAdvertiseAddress(text)).toThrow('Must be HOST or HOST:PORT');
});

test('collects names for a certificate', () => {
  expect(parseSubjectAltNames('a,192.0.2.1', parseSubjectAltNames('b.example'))).toEqual([
    'b.example',
    'a',
    '192.0.2.1',
  ]);
  expect(() => parseSubjectAltNames('a,*')).toThrow('"*" is neither a host name nor an IP address.');
});
