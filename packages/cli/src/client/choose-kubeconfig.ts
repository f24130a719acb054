import { join, resolve } from 'node:path';

export interface KubeconfigOptions {
  /** Value of `--kubeconfig`. */
  readonly option: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly exists: (path: string) => boolean;
}

/**
 * The directory that contains Fairway's state: the option, then FAIRWAY_HOME, then `.fairway` in the working
 * directory.
 */
export function homePath(option: string | undefined, env: KubeconfigOptions['env'], cwd: string): string {
  return resolve(cwd, option ?? env['FAIRWAY_HOME'] ?? '.fairway');
}

/**
 * The kubeconfig to read: the option, or the one in the home, so nothing needs to be exported after `fairway up`.
 * Undefined means KUBECONFIG or ~/.kube/config.
 */
export function chooseKubeconfig({ option, env, cwd, exists }: KubeconfigOptions): string | undefined {
  if (option !== undefined) return resolve(cwd, option);
  if (env['KUBECONFIG']) return undefined;
  const homeKubeconfig = join(homePath(undefined, env, cwd), 'kubeconfig');
  return exists(homeKubeconfig) ? homeKubeconfig : undefined;
}

/**
 * Whether the user set the kubeconfig. One found in the working directory may come from whoever created that
 * directory, so it must not run programs.
 */
export function isKubeconfigExplicit(
  path: string | undefined,
  { option, env }: Pick<KubeconfigOptions, 'option' | 'env'>,
) {
  return path === undefined || option !== undefined || Boolean(env['FAIRWAY_HOME']);
}
