import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResults {
  readonly passes: readonly object[];
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** The violations that axe reports on a page in its current state, under WCAG and axe's own best practices. */
export function accessibilityProblems(page: Page): Promise<readonly string[]> {
  return problemsOf(page, 'axe.run(document)', 10);
}

/** Low-contrast text on the page in its current state. */
export function contrastProblems(page: Page): Promise<readonly string[]> {
  return problemsOf(page, "axe.run(document, { runOnly: ['color-contrast'] })", 1);
}

async function problemsOf(page: Page, run: string, minPasses: number): Promise<readonly string[]> {
  // Evaluated as a debugger would, so the page's policy does not apply.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(AXE);
  const { passes, violations } = await page.evaluate<AxeResults>(run);
  if (passes.length < minPasses) throw new Error('axe checked hardly anything on the page');
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${help}\n  ${html}\n  ${failureSummary}`),
  );
}
