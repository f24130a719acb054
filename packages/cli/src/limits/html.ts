import type { Mark, RichText } from '@fairway/api/limits/rich-text';
import { printable } from '../output/printable.ts';
import type { LimitsPage } from './page.ts';

const STYLE = [
  ':root{color-scheme:light dark}',
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:45rem;margin:0 auto;padding:1rem;overflow-wrap:anywhere}',
  'h1{font-size:1.6rem;line-height:1.2}',
  'h2{font-size:1.3rem;margin-top:2rem;border-bottom:1px solid}',
  'h3{font-size:1.05rem;margin-bottom:.25rem}',
  'p{margin:.25rem 0 .75rem}',
  'ul{padding-left:1.25rem}',
].join('');

/**
 * The limits page as a complete HTML document without scripts or other files. Names and notes of the operator appear as
 * plain text, whatever they contain. Pure.
 */
export function htmlPage({ title, services, changes }: LimitsPage): string {
  const body = [
    `<h1>${escaped(title)}</h1>`,
    ...services.flatMap(({ name, sections }, service) => [
      `<h2 id="service-${service + 1}">${escaped(name)}</h2>`,
      ...sections.flatMap(({ heading, paragraphs }) => [
        `<h3 id="service-${service + 1}-${slugOf(heading)}">${escaped(heading)}</h3>`,
        ...paragraphs.map((parts) => `<p>${inline(parts)}</p>`),
      ]),
    ]),
    ...(changes.length === 0 ? [] : ['<h2 id="changes">Changes</h2>', '<ul>']),
    ...changes.map(({ date, paragraph }) => `<li><time>${escaped(date)}</time>: ${inline(paragraph)}</li>`),
    ...(changes.length === 0 ? [] : ['</ul>']),
  ];
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    '<main>',
    ...body,
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function inline(parts: RichText): string {
  return parts.map((part) => (typeof part === 'string' ? escaped(part) : markOf(part))).join('');
}

function markOf(mark: Mark): string {
  if ('code' in mark) return `<code>${escaped(mark.code)}</code>`;
  return `<a href="${escaped(mark.link)}">${inline(mark.label)}</a>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return printable(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** Part of an address within the page; headings are those of the catalogue. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join('-');
}
