import type { Mark, RichText } from '@fairway/api/limits/rich-text';
import { printable } from '../output/printable.ts';
import type { LimitsPage } from './page.ts';

/** The limits page in Markdown. Names and notes of the operator appear as plain text, whatever they contain. Pure. */
export function markdownPage({ title, services, changes }: LimitsPage): string {
  const blocks = [
    `# ${inline([title])}`,
    ...services.flatMap(({ name, sections }) => [
      `## ${inline([name])}`,
      ...sections.flatMap(({ heading, paragraphs }) => [`### ${inline([heading])}`, ...paragraphs.map(paragraph)]),
    ]),
    ...(changes.length === 0
      ? []
      : ['## Changes', changes.map(({ date, paragraph: each }) => `- ${date}: ${inline(each)}`).join('\n')]),
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** Characters that would start a list, a heading or an underline at the start of a paragraph. */
const BLOCK_START = /^([-+=#]|[0-9]{1,9}[.)])/;
const SPECIAL_CHARACTERS = /[\\`*_[\]<>&~|#$]/g;

function paragraph(parts: RichText): string {
  return inline(parts).replace(BLOCK_START, (start) => `${start.slice(0, -1)}\\${start.slice(-1)}`);
}

function inline(parts: RichText): string {
  return parts.map((part) => (typeof part === 'string' ? escaped(oneLine(part)) : markOf(part))).join('');
}

function markOf(mark: Mark): string {
  if ('code' in mark) return codeSpan(oneLine(mark.code));
  const url = mark.link.replaceAll(/[<>\s]/g, encodeURIComponent);
  return `[${inline(mark.label)}](${/[()]/.test(url) ? `<${url}>` : url})`;
}

/** A code span may contain backticks if its fence is longer. */
function codeSpan(code: string): string {
  const longest = Math.max(0, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  if (longest === 0) return `\`${code}\``;
  const fence = '`'.repeat(longest + 1);
  return `${fence} ${code} ${fence}`;
}

function escaped(text: string): string {
  return text.replaceAll(SPECIAL_CHARACTERS, (character) => `\\${character}`);
}

function oneLine(text: string): string {
  return printable(text).replaceAll(/[\n\t]/g, ' ');
}
