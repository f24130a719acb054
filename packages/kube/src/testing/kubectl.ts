import { spawnSync } from 'node:child_process';

/** Minor version of the kubectl on PATH, 36 for 1.36; undefined if there is none. */
export const kubectlMinor: number | undefined = minorOf('kubectl');

/** Minor version of a kubectl, 36 for 1.36; undefined if there is none. */
export function minorOf(path: string): number | undefined {
  const { stdout } = spawnSync(path, ['version', '--client', '-o', 'json'], { encoding: 'utf8' });
  const minor = /"minor": *"(\d+)/.exec(stdout ?? '')?.[1];
  return minor === undefined ? undefined : Number(minor);
}

/** Whether a kubectl is older than 1.`since`, and a suffix for the name of a skipped test. */
export function kubectlTooOld(
  since: number,
  minor = kubectlMinor,
): { readonly isTooOld: boolean; readonly reason: string } {
  const isTooOld = minor !== undefined && minor < since;
  return { isTooOld, reason: isTooOld ? ` (skipped: not before kubectl 1.${since})` : '' };
}
