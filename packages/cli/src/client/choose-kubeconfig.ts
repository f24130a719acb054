import { join, resolve } from 'node:path';

export interface KubeconfigChoice {
  /** Value of `--kubeconfig`. */
  readonly option: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly exists: (path: string) => boolean;
}

/** The folder of Fairway's state: the option, else FAIRWAY_HOME, else `.fairway` in the working directory. */
export function homePath(option: string | undefined, env: KubeconfigChoice['env'], cwd: string): string {
  return resolve(cwd, option ?? env['FAIRWAY_HOME'] ?? '.fairway');
}

/**
 * The kubeconfig to read: the option; else undefined, which means KUBECONFIG or ~/.kube/config, unless the home
 * contains one: after `fairway up`, users need not export anything.
 */
export function chooseKubeconfig({ option, env, cwd, exists }: KubeconfigChoice): string | undefined {
  if (option !== undefined) return resolve(cwd, option);
  if (env['KUBECONFIG']) return undefined;
  const ofHome = join(homePath(undefined, env, cwd), 'kubeconfig');
  return exists(ofHome) ? ofHome : undefined;
}

/** Whether the user has said which kubeconfig: one that lies in the working directory may be of whoever made that, and runs no programs. */
export function isKubeconfigNamed(path: string | undefined, { option, env }: Pick<KubeconfigChoice, 'option' | 'env'>) {
  return path === undefined || option !== undefined || Boolean(env['FAIRWAY_HOME']);
}
