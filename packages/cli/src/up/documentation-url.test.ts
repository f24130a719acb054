import { expect, test } from 'vitest';
import { parseDocumentationUrl } from './documentation-url.ts';

test.each([
  'https://docs.example.com/{page}.html',
  'http://docs.internal:8080/{page}',
  'https://git.example.com/cloud/fairway/-/blob/main/{page}.md?plain=0',
])('accepts %s as the location of pages', (url) => {
  expect(parseDocumentationUrl(url)).toBe(url);
});

test.each([
  { url: 'https://docs.example.com/', wrong: /must contain {page} once/ },
  { url: 'https://docs.example.com/{page}/{page}', wrong: /must contain {page} once/ },
  { url: 'https://{page}.example.com/', wrong: /{page} after the host/ },
  { url: 'javascript:alert(1)//{page}', wrong: /http or https/ },
  { url: 'docs.example.com/{page}', wrong: /http or https/ },
  { url: 'https://user@docs.example.com/{page}', wrong: /without a user/ },
  { url: 'https://docs.example.com/{page}#top', wrong: /fragment/ },
])('refuses $url', ({ url, wrong }) => {
  expect(() => parseDocumentationUrl(url)).toThrow(wrong);
});
