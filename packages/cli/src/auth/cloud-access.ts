import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import type { Clock } from '@fairway/base/clock';
import { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import { Budget, DEFAULT_BUDGET } from '@fairway/openstack/http/budget';
import { HttpClient } from '@fairway/openstack/http/http-client';
import { openTransport } from '@fairway/openstack/http/open-transport';
import type { HttpTransport } from '@fairway/openstack/http/transport';
import type { SignInConfig } from '@fairway/openstack/sign-in/sign-in';
import { usageError } from '@fairway/service/command-error';
import { FAIRWAY_VERSION } from '@fairway/service/version';
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

/** Connections to the Keystone of a sign-in, and to its identity provider. */
export interface KeystoneAccess {
  readonly http: HttpClient;
  readonly transport: HttpTransport;
}

const CONNECTIONS = 4;
/** A person waits. */
const TIMEOUTS = { attemptMs: 20_000, totalMs: 45_000 };

export function openKeystone({ cloud, tls }: SignInConfig, clock: Clock): KeystoneAccess {
  const readFile = (path: string): string => readFileSync(path, 'utf8');
  const transport = openTransport(tls, { readFile, connections: CONNECTIONS });
  const http = new HttpClient({
    cloud,
    transport,
    clock,
    random: Math.random,
    budget: new Budget(clock, DEFAULT_BUDGET),
    userAgent: `fairway/${FAIRWAY_VERSION}`,
    timeouts: TIMEOUTS,
  });
  return { http, transport };
}
