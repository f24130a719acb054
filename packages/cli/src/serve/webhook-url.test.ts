import { expect, test } from 'vitest';
import { parseWebhookUrl } from './webhook-url.ts';

test.each([
  ['https://fairway.example.com', 'https://fairway.example.com'],
  ['https://fairway.example.com:8443/', 'https://fairway.example.com:8443'],
  ['https://[fd00::1]:8443', 'https://[fd00::1]:8443'],
])('accepts %s', (text, url) => {
  expect(parseWebhookUrl(text)).toBe(url);
});

test.each([
  ['http://fairway.example.com', 'an API server calls webhooks over TLS alone'],
  ['https://fairway.example.com/admission', "the path is the gateway's"],
  ['https://user@fairway.example.com', 'nobody logs in'],
  ['fairway.example.com:8443', 'no URL'],
])('rejects %s: %s', (text) => {
  expect(() => parseWebhookUrl(text)).toThrow('Must be https://HOST');
});
