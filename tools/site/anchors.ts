import { textOf } from './pages.ts';

/** GitHub's anchor for a heading, without the number added to a repeated one. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/** GitHub's anchors for a page's headings, and anchors that the page keeps for older links. */
export function anchorsOf(page: string): readonly string[] {
  const text = textOf(page);
  const seen = new Map<string, number>();
  const headings = [...text.matchAll(/^#+ +(.+)$/gm)].map(([, heading = '']) => {
    const anchor = anchorOf(heading);
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
  const kept = [...text.matchAll(/^<a id="([\w-]+)"><\/a>$/gm)].map(([, anchor = '']) => anchor);
  return [...headings, ...kept];
}
