import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { differences, parseSkips, renderSkips, summary } from './skips.ts';

const SKIPS_FILE = join(import.meta.dirname, '../../.ci/skips');

/**
 * Reports how many tests were skipped. With FAIRWAY_SKIPS=check, the run fails if more tests were skipped than
 * `.ci/skips` lists. With FAIRWAY_SKIPS=write, the run updates the counts in the file.
 */
export default class SkipReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = new Map(modules.map((module) => [module.relativeModuleId, skippedIn(module)]));
    const listed = parseSkips(readFileSync(SKIPS_FILE, 'utf8'));
    process.stdout.write(summary(skipped, listed));
    const mode = process.env['FAIRWAY_SKIPS'];
    if (mode === 'write') writeFileSync(SKIPS_FILE, renderSkips(readFileSync(SKIPS_FILE, 'utf8'), skipped));
    if (mode !== 'check') return;
    const found = differences(skipped, listed);
    for (const line of found) process.stdout.write(`${line}\n`);
    if (found.length > 0) process.exitCode = 1;
  }
}

function skippedIn({ children }: TestModule): number {
  return [...children.allTests()].filter((test) => test.result().state === 'skipped').length;
}
