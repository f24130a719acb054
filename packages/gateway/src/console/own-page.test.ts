import { expect, it } from 'vitest';
import { claimsToBeOwnPage, isOwnPage } from './own-page.ts';

const OWN = { 'x-fairway-console': '1', host: 'fairway.example:8443' };

it.each([
  { reason: 'a page of the console', headers: { ...OWN, 'sec-fetch-site': 'same-origin' }, isOwn: true },
  {
    reason: 'one that writes, of a browser that says both',
    headers: { ...OWN, 'sec-fetch-site': 'same-origin', origin: 'https://fairway.example:8443' },
    isOwn: true,
  },
  {
    reason: 'a browser without Sec-Fetch-Site, of whose writes the origin is known',
    headers: { ...OWN, origin: 'https://fairway.example:8443' },
    isOwn: true,
  },
  { reason: 'a browser that says neither', headers: OWN, isOwn: false },
  {
    reason: 'a form of another site, which adds no headers',
    headers: { 'sec-fetch-site': 'cross-site' },
    isOwn: false,
  },
  { reason: 'an image of the same site', headers: { 'sec-fetch-site': 'same-origin' }, isOwn: false },
  { reason: 'another site', headers: { ...OWN, 'sec-fetch-site': 'cross-site' }, isOwn: false },
  { reason: 'another host of the domain', headers: { ...OWN, 'sec-fetch-site': 'same-site' }, isOwn: false },
  { reason: 'what somebody typed or bookmarked', headers: { ...OWN, 'sec-fetch-site': 'none' }, isOwn: false },
  { reason: 'another origin', headers: { ...OWN, origin: 'https://evil.example' }, isOwn: false },
  { reason: 'another port', headers: { ...OWN, origin: 'https://fairway.example' }, isOwn: false },
  { reason: 'plain HTTP', headers: { ...OWN, origin: 'http://fairway.example:8443' }, isOwn: false },
  { reason: 'a sandboxed frame', headers: { ...OWN, 'sec-fetch-site': 'same-origin', origin: 'null' }, isOwn: false },
])('$reason: $isOwn', ({ headers, isOwn }) => {
  expect(isOwnPage(headers)).toBe(isOwn);
});

it('recognizes requests that claim to be from one, by the header alone', () => {
  expect(claimsToBeOwnPage({ 'x-fairway-console': '' })).toBe(true);
  expect(claimsToBeOwnPage({ cookie: '__Host-fairway-session=x' })).toBe(false);
});
