import { existsSync } from 'node:fs';
import { loadKubeContexts } from '@fairway/kube/client/kubeconfig-loader';
import { cloudsOf } from '../auth/sign-in-options.ts';
import { chooseKubeconfig } from '../client/choose-kubeconfig.ts';
import type { CliContext } from '../command/context.ts';

/** Entries in clouds.yaml. Empty if it can't be read, since a completion must not print errors. */
export function cloudNames(context: Pick<CliContext, 'env' | 'cwd'>): readonly string[] {
  try {
    return cloudsOf(context).names;
  } catch {
    return [];
  }
}

/** The distinct projects named in clouds.yaml; entries that can't be read are skipped. */
export function projectNames(context: Pick<CliContext, 'env' | 'cwd'>): readonly string[] {
  const names = cloudNames(context).flatMap((cloud) => {
    try {
      const { signIn } = cloudsOf(context).signIn(cloud);
      if (!('scope' in signIn) || signIn.scope.kind !== 'project') return [];
      const { project } = signIn.scope;
      const name = 'name' in project ? project.name : project.id;
      return name === undefined ? [] : [name];
    } catch {
      return [];
    }
  });
  return [...new Set(names)];
}

/** Contexts in the kubeconfig that a command would read. */
export async function contextNames(
  { env, cwd }: Pick<CliContext, 'env' | 'cwd'>,
  kubeconfig: string | undefined,
): Promise<readonly string[]> {
  try {
    return await loadKubeContexts({
      path: chooseKubeconfig({ option: kubeconfig, env, cwd, exists: existsSync }),
      env,
    });
  } catch {
    return [];
  }
}
