import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import type { SignInConfig } from '@fairway/openstack/sign-in/sign-in';
import { usageError } from '@fairway/service/command-error';
import type { CliContext } from '../command/context.ts';

/** The entry in clouds.yaml to sign in with, and the project. */
export interface CloudSelection {
  readonly cloud?: string;
  /** Name or id; overrides the entry's project. */
  readonly project?: string;
}

const ID = /^([0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/**
 * Reads clouds.yaml as other OpenStack clients do. In a plugin, the working directory is skipped: kubectl runs it in
 * any directory, and a stranger's clouds.yaml could decide where the password in the home directory's secure.yaml is
 * sent.
 */
export function cloudsOf({ env, cwd }: Pick<CliContext, 'env' | 'cwd'>): CloudsYaml {
  const folder = env['KUBERNETES_EXEC_INFO'] ? undefined : cwd;
  return new CloudsYaml({ env, cwd: folder, home: env['HOME'] || homedir(), readFile: readIfExists });
}

/** The variables that tell a plugin which configuration files this command uses. */
export function configFiles(context: Pick<CliContext, 'env' | 'cwd'>): { name: string; value: string }[] {
  const { env, cwd } = context;
  const { clouds, secure } = cloudsOf(context).files;
  return [
    { name: 'OS_CLIENT_CONFIG_FILE', path: clouds },
    { name: 'OS_CLIENT_SECURE_FILE', path: secure },
  ].flatMap(({ name, path }) => {
    const isDefaultPath = path === undefined || (env[name] === undefined && dirname(path) !== cwd);
    return isDefaultPath ? [] : [{ name, value: resolve(cwd, path) }];
  });
}

function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** Throws a CloudConfigError or a CommandError. */
export function signInOptions(
  context: Pick<CliContext, 'env' | 'cwd'>,
  { cloud, project }: CloudSelection,
): SignInConfig {
  const clouds = cloudsOf(context);
  if (project === undefined) return clouds.signIn(cloud);
  const unset = { project_id: '', project_name: '', tenant_id: '', tenant_name: '', trust_id: '', system_scope: '' };
  const scope = { ...unset, [ID.test(project) ? 'project_id' : 'project_name']: project };
  const config = clouds.signIn(cloud, { ...scope, auth: scope });
  if (config.signIn.kind === 'credential' && config.signIn.credential.kind === 'applicationCredential') {
    throw usageError(
      'an application credential belongs to one project, so the project cannot be chosen',
      'leave out --project, or create an application credential in that project',
    );
  }
  return config;
}
