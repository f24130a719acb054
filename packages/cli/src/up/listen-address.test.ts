import { expect, test } from 'vitest';
import { parseIPAddress, parseListenAddress } from './listen-address.ts';

test.each([
  { text: '127.0.0.1:8443', host: '127.0.0.1', port: 8443 },
  { text: '[::1]:0', host: '::1', port: 0 },
  { text: ':9000', host: '127.0.0.1', port: 9000 },
  { text: 'fairway.example:443', host: 'fairway.example', port: 443 },
])('parses $text as $host, port $port', ({ text, host, port }) => {
  expect(parseListenAddress(text)).toEqual({ host, port });
});

test.each(['8443', '127.0.0.1', '127.0.0.1:', '127.0.0.1:65536', '::1:80', 'a:b'])('refuses %s', (text) => {
  expect(() => parseListenAddress(text)).toThrow(/Must be HOST:PORT/);
});

test.each(['10.0.0.1', 'fd00::1'])('accepts the address %s', (text) => {
  expect(parseIPAddress(text)).toBe(text);
});

test.each(['0.0.0.0', '::', 'localhost', '10.0.0.0/24', '10.0.0.1:80'])(
  'rejects %s, which is not the address of one host',
  (text) => {
    expect(() => parseIPAddress(text)).toThrow(/Must be the address of one host/);
  },
);
