import type { Progress } from './step.ts';

const WIDTH = 20;

/** `[######--------------]`: full only when everything is done. Its length is constant, whatever the server sends. */
export function barOf({ done, total }: Progress): string {
  const share = total > 0 ? Math.min(Math.max(done / total, 0), 1) : 0;
  const full = Math.floor(share * WIDTH);
  return `[${'#'.repeat(full)}${'-'.repeat(WIDTH - full)}]`;
}
