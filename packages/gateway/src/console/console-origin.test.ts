import { expect, it } from 'vitest';
import { claimsToBeOwnPage, isOwnPage } from './console-origin.ts';

const OWN = { 'x-fairway-console': '1', host: 'fairway.example:8443' };

it.each([
  { reason: 'a page of the console', headers: { ...OWN, 'sec-fetch-site': 'same-origin' }, isOwn: true },
  {
    reason: 'a write from a page, with both headers',
    headers: { ...OWN, 'sec-fetch-site': 'same-origin', origin: 'https://fairway.example:8443' },
    isOwn: true,
  },
  {
    reason: 'a write from a browser without Sec-Fetch-Site, with a known Origin',
    headers: { ...OWN, origin: 'https://fairway.example:8443' },
    isOwn: true,
  },
  { reason: 'a browser without either header', headers: OWN, isOwn: false },
  {
    reason: 'a form of another site, which adds no headers',
    headers: { 'sec-fetch-site': 'cross-site' },
    isOwn: false,
  },
  { reason: 'an image of the same site', headers: { 'sec-fetch-site': 'same-origin' }, isOwn: false },
  { reason: 'another site', headers: { ...OWN, 'sec-fetch-site': 'cross-site' }, isOwn: false },
  { reason: 'another host of the domain', headers: { ...OWN, 'sec-fetch-site': 'same-site' }, isOwn: false },
  { reason: 'a typed or bookmarked address', headers: { ...OWN, 'sec-fetch-site': 'none' }, isOwn: false },
  { reason: 'another origin', headers: { ...OWN, origin: 'https://evil.example' }, isOwn: false },
  { reason: 'another port', headers: { ...OWN, origin: 'https://fairway.example' }, isOwn: false },
  { reason: 'plain HTTP', headers: { ...OWN, origin: 'http://fairway.example:8443' }, isOwn: false },
  { reason: 'a sandboxed frame', headers: { ...OWN, 'sec-fetch-site': 'same-origin', origin: 'null' }, isOwn: false },
])('$reason: $isOwn', ({ headers, isOwn }) => {
  expect(isOwnPage(headers)).toBe(isOwn);
});

it('recognizes requests that claim to be from a page only by the header', () => {
  expect(claimsToBeOwnPage({ 'x-fairway-console': '' })).toBe(true);
  expect(claimsToBeOwnPage({ cookie: '__Host-fairway-session=x' })).toBe(false);
});
