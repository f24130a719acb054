import { code, link, type RichText, text } from '@fairway/api/limits/rich-text';
import { expect, test } from 'vitest';
import { markdownPage } from './markdown.ts';

const EMPTY = { title: 'Limits', services: [], changes: [] };

function paragraph(parts: RichText): string {
  const section = { heading: 'H', paragraphs: [parts] };
  const page = markdownPage({ ...EMPTY, services: [{ name: 'S', sections: [section] }] });
  return page.slice('# Limits\n\n## S\n\n### H\n\n'.length, -1);
}

test('the page has headings for services and their limits, and a list of changes', () => {
  const sections = [{ heading: 'IP version', paragraphs: [text`One.`, text`Two.`] }];
  const changes = [{ date: '2026-01-01', paragraph: text`S: ${code('RWX')}.` }];

  expect(markdownPage({ ...EMPTY, services: [{ name: 'S', sections }], changes })).toBe(
    '# Limits\n\n## S\n\n### IP version\n\nOne.\n\nTwo.\n\n## Changes\n\n- 2026-01-01: S: `RWX`.\n',
  );
});

test.each<{ parts: RichText; expectedText: string; reason: string }>([
  { parts: text`a ${code('b')} c`, expectedText: 'a `b` c', reason: 'code' },
  { parts: text`${code('a`b``c')}`, expectedText: '``` a`b``c ```', reason: 'code with backticks' },
  {
    parts: text`${link(text`the ${code('x')} [page]`, 'https://example.org/a')}`,
    expectedText: '[the `x` \\[page\\]](https://example.org/a)',
    reason: 'a link',
  },
  {
    parts: text`${link('page', 'https://example.org/a_(b)')}`,
    expectedText: '[page](<https://example.org/a_(b)>)',
    reason: 'a URL with parentheses',
  },
  {
    parts: ['<img src=x onerror=alert(1)> [a](javascript:b) *c* `d` ~e~ & |f| \\'],
    expectedText: '\\<img src=x onerror=alert(1)\\> \\[a\\](javascript:b) \\*c\\* \\`d\\` \\~e\\~ \\& \\|f\\| \\\\',
    reason: 'text that looks like Markdown or HTML',
  },
  { parts: ['a\n\n# b\n- c'], expectedText: 'a  \\# b - c', reason: 'text with line ends' },
  { parts: ['- a'], expectedText: '\\- a', reason: 'text that looks like a list' },
  { parts: ['1. a'], expectedText: '1\\. a', reason: 'text that looks like a numbered list' },
  { parts: ['a\u001b[2Jb\u202ec'], expectedText: 'a^\\[\\[2Jb\\\\u202ec', reason: 'control characters' },
])('$reason', ({ parts, expectedText }) => {
  expect(paragraph(parts)).toBe(expectedText);
});

test('the names of services are plain text', () => {
  expect(markdownPage({ ...EMPTY, services: [{ name: '[A](b)\n# C', sections: [] }] })).toContain(
    '\n## \\[A\\](b) \\# C\n',
  );
});
