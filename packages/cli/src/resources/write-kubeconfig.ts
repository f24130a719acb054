import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { mergeKubeconfigs, parseKubeconfig } from '@fairway/kube/client/kubeconfig';
import { CommandError } from '@fairway/service/command-error';
import { dump } from 'js-yaml';
import type { CliContext } from '../command/context.ts';

/** Prints a kubeconfig, or merges it into a file: the one of that path, or ~/.kube/config for true. */
export async function writeKubeconfig(
  context: Pick<CliContext, 'stdout' | 'stderr' | 'env' | 'cwd'>,
  kubeconfig: string,
  { merge, note = '' }: { readonly merge: string | true | undefined; readonly note?: string },
): Promise<void> {
  if (merge === undefined) {
    context.stdout.write(kubeconfig);
    return;
  }
  const path = merge === true ? join(context.env['HOME'] ?? homedir(), '.kube', 'config') : resolve(context.cwd, merge);
  await mergeInto(path, kubeconfig);
  context.stderr.write(`${path}: merged, and set as the current context${note}\n`);
}

/** New entries override old ones of the same name; the file is replaced atomically, accessible to its owner only. */
async function mergeInto(path: string, kubeconfig: string): Promise<void> {
  const existing = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new CommandError(`cannot read ${path}: ${error.message}`);
  });
  const merged = mergeKubeconfigs([
    parseKubeconfig(kubeconfig, 'the answer'),
    ...(existing === undefined ? [] : [parseKubeconfig(existing, path)]),
  ]);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.draft`;
  await writeFile(draft, dump(merged, { lineWidth: -1 }), { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, path);
}
