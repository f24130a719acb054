import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import type { SignInConfig } from '@fairway/openstack/sign-in/sign-in';
import { usageError } from '@fairway/service/command-error';
import type { CliContext } from '../command/context.ts';

/** Which entry of clouds.yaml signs in, and for which project. */
export interface CloudChoice {
  readonly cloud?: string;
  /** Name or id, in place of the entry's. */
  readonly project?: string;
}

const ID = /^([0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** Reads clouds.yaml as other clients of OpenStack do. */
export function cloudsOf({ env, cwd }: Pick<CliContext, 'env' | 'cwd'>): CloudsYaml {
  return new CloudsYaml({ env, cwd, home: env['HOME'] || homedir(), readFile: textIfThere });
}

function textIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** Throws a CloudConfigError or a CommandError. */
export function chosenSignIn(context: Pick<CliContext, 'env' | 'cwd'>, { cloud, project }: CloudChoice): SignInConfig {
  const clouds = cloudsOf(context);
  if (project === undefined) return clouds.signIn(cloud);
  const unset = { project_id: '', project_name: '', tenant_id: '', tenant_name: '', trust_id: '', system_scope: '' };
  const scope = { ...unset, [ID.test(project) ? 'project_id' : 'project_name']: project };
  const config = clouds.signIn(cloud, { ...scope, auth: scope });
  if (config.signIn.kind === 'credential' && config.signIn.credential.kind === 'applicationCredential') {
    throw usageError(
      'an application credential is for one project, which cannot be chosen',
      'leave --project out, or make an application credential in that project',
    );
  }
  return config;
}
