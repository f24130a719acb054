import { globSync } from 'node:fs';

/** Entry modules of processes; they import everything else. */
export const ENTRIES = ['packages/cli/src/main.ts', 'packages/service/src/simulated-control-plane/main.ts'];

/**
 * Files in the package that are not modules, as paths from the repository's root. Each is read by a path relative to
 * the module that reads it.
 */
export function packageFiles(root: string): readonly string[] {
  return [
    'packages/cli/bin/fairway.js',
    'packages/service/package.json',
    ...globSync('packages/console/dist/**/*.{json,svg,png,gz,br}', { cwd: root }),
    ...globSync('packages/apiserver/src/**/generated/*.json', { cwd: root }),
    ...globSync('packages/*/src/**/*.proto', { cwd: root }),
    ...globSync('examples/**/*.yaml', { cwd: root }),
    ...globSync('deploy/systemd/**/*.{service,conf}', { cwd: root }),
  ];
}
