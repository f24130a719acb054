import { code, link, text } from '@fairway/api/limits/rich-text';
import { expect, test } from 'vitest';
import { htmlPage } from './html.ts';

const HOSTILE = `<script>alert("a")</script> & 'b'`;
const ESCAPED = '&lt;script&gt;alert(&quot;a&quot;)&lt;/script&gt; &amp; &#39;b&#39;';

test('the document is complete, and loads and runs nothing', () => {
  const page = htmlPage({ title: 'Limits', services: [], changes: [] });

  expect(page).toMatch(/^<!doctype html>\n<html lang="en">\n/);
  expect(page).toContain('<title>Limits</title>');
  expect(page).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
  expect(page).not.toMatch(/<script|<link|<img|src=|url\(/);
  expect(page).toMatch(/<\/body>\n<\/html>\n$/);
});

test('escapes the text of operators everywhere', () => {
  const parts = text`${HOSTILE} ${code(HOSTILE)} ${link(HOSTILE, `https://example.org/"onclick="a`)}`;
  const page = htmlPage({
    title: HOSTILE,
    services: [{ name: HOSTILE, sections: [{ heading: HOSTILE, paragraphs: [parts] }] }],
    changes: [{ date: HOSTILE, paragraph: parts }],
  });

  expect(page).not.toMatch(/<script|"onclick/);
  expect(page).toContain(`<h1>${ESCAPED}</h1>`);
  expect(page).toContain(`<h2 id="service-1">${ESCAPED}</h2>`);
  expect(page).toContain(
    `<p>${ESCAPED} <code>${ESCAPED}</code> <a href="https://example.org/&quot;onclick=&quot;a">${ESCAPED}</a></p>`,
  );
  expect(page).toContain(`<li><time>${ESCAPED}</time>: ${ESCAPED}`);
});

test('headings have addresses of their own, also if services share them', () => {
  const sections = [{ heading: 'Persistent volumes (PVs)', paragraphs: [] }];
  const services = ['A', 'B'].map((name) => ({ name, sections }));
  const page = htmlPage({ title: 'Limits', services, changes: [] });

  expect([...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)).toEqual([
    'service-1',
    'service-1-persistent-volumes-pvs',
    'service-2',
    'service-2-persistent-volumes-pvs',
  ]);
});
