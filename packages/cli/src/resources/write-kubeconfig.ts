import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { type Kubeconfig, kubeconfigPaths, mergeKubeconfigs, parseKubeconfig } from '@fairway/kube/client/kubeconfig';
import { CommandError } from '@fairway/service/command-error';
import { ExitCode } from '@fairway/service/exit-code';
import { dump } from 'js-yaml';
import type { CliContext } from '../command/context.ts';

/**
 * Prints a kubeconfig, writes it to the file `output` that only its owner can read, or merges it into a file: the given
 * path, or ~/.kube/config for true.
 */
export async function writeKubeconfig(
  context: Pick<CliContext, 'stdout' | 'stderr' | 'env' | 'cwd'>,
  kubeconfig: string,
  {
    merge,
    output,
    contextName,
    note = '',
  }: {
    readonly merge: string | true | undefined;
    readonly output?: string | undefined;
    readonly contextName: string | undefined;
    readonly note?: string;
  },
): Promise<void> {
  const written = contextName === undefined ? kubeconfig : renameContext(kubeconfig, contextName);
  if (output !== undefined) {
    const path = resolve(context.cwd, output);
    await writePrivate(path, written);
    context.stderr.write(`${path}: written${note}\n`);
    return;
  }
  if (merge === undefined) {
    context.stdout.write(written);
    return;
  }
  const path = merge === true ? defaultPath(context.env) : resolve(context.cwd, merge);
  await mergeInto(path, written);
  context.stderr.write(`${path}: merged, and set as the current context${note}\n`);
}

/**
 * The file that kubectl would write: the first existing one in KUBECONFIG, otherwise the last; by default
 * ~/.kube/config.
 */
function defaultPath(env: CliContext['env']): string {
  const paths = kubeconfigPaths({ HOME: homedir(), ...env });
  return paths.find((path) => existsSync(path)) ?? paths.at(-1) ?? '';
}

/**
 * New entries replace old ones with the same name and server; the file is replaced atomically, accessible to its owner
 * only.
 */
async function mergeInto(path: string, kubeconfig: string): Promise<void> {
  const existing = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new CommandError(`cannot read ${path}: ${error.message}`);
  });
  const added = parseKubeconfig(kubeconfig, 'the answer');
  const before = existing === undefined ? undefined : parseKubeconfig(existing, path);
  if (before) requireNoConflict(before, added, path);
  const merged = mergeKubeconfigs([added, ...(before ? [before] : [])]);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writePrivate(path, dump(merged, { lineWidth: -1 }));
}

/** Replaces the file atomically; it is never incomplete or readable by others. */
async function writePrivate(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.draft`;
  await writeFile(draft, text, { mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    const advice =
      error.code === 'ENOENT' ? `create the folder ${dirname(path)}, or name another file` : 'name another file';
    throw new CommandError(`cannot write ${path}: ${error.code}`, { exitCode: ExitCode.Usage, advice, cause: error });
  });
  await chmod(draft, 0o600);
  await rename(draft, path);
}

/** Keeps entries for another server: clusters in different projects or clouds may have the same name. */
function requireNoConflict(before: Kubeconfig, added: Kubeconfig, path: string): void {
  for (const { name, context } of added.contexts) {
    const server = serverOf(added, context.cluster);
    const others = before.contexts.filter(
      (each) =>
        (each.name === name || each.context.cluster === context.cluster || each.context.user === context.user) &&
        serverOf(before, each.context.cluster) !== server,
    );
    const [other] = others;
    if (other === undefined) continue;
    throw new CommandError(
      `${path} has the context "${other.name}" for ${serverOf(before, other.context.cluster) ?? 'no server'}, but this one is for ${server}`,
      {
        exitCode: ExitCode.Failed,
        advice: `set another name with --context-name, or delete the existing context: kubectl config delete-context ${other.name} --kubeconfig ${path}`,
      },
    );
  }
}

function serverOf({ clusters }: Kubeconfig, cluster: string): string | undefined {
  return clusters.find(({ name }) => name === cluster)?.cluster.server;
}

/** Uses this name for the only cluster, user and context. */
function renameContext(kubeconfig: string, name: string): string {
  const { clusters, users, contexts, ...rest } = parseKubeconfig(kubeconfig, 'the answer');
  const all = {
    ...rest,
    clusters: clusters.map((entry) => ({ ...entry, name })),
    users: users.map((entry) => ({ ...entry, name })),
    contexts: contexts.map(({ context }) => ({ name, context: { ...context, cluster: name, user: name } })),
    'current-context': name,
  };
  return dump(all, { lineWidth: -1 });
}
