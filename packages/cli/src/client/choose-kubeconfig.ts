import { join, resolve } from 'node:path';

export interface KubeconfigChoice {
  /** What `--kubeconfig` says. */
  readonly option: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly exists: (path: string) => boolean;
}

/** The folder of Fairway's state: what an option says, FAIRWAY_HOME, or `.fairway` here. */
export function homePath(option: string | undefined, env: KubeconfigChoice['env'], cwd: string): string {
  return resolve(cwd, option ?? env['FAIRWAY_HOME'] ?? '.fairway');
}

/**
 * The kubeconfig to read: that of the option; else undefined, which leaves it to KUBECONFIG and ~/.kube/config, unless a Fairway
 * keeps its own in the home: a person who has just typed `fairway up` need not export anything.
 */
export function chooseKubeconfig({ option, env, cwd, exists }: KubeconfigChoice): string | undefined {
  if (option !== undefined) return resolve(cwd, option);
  if (env['KUBECONFIG']) return undefined;
  const ofHome = join(homePath(undefined, env, cwd), 'kubeconfig');
  return exists(ofHome) ? ofHome : undefined;
}
