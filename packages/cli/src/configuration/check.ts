import { accessSync, constants } from 'node:fs';
import { suggest } from '@fairway/api/domain/suggest';
import { openOffHost as readOffHost } from '@fairway/control-plane/off-host/off-host-settings';
import { readAuditPolicy } from '@fairway/service/audit/audit-policy';
import { auditWebhookConnection } from '@fairway/service/audit/open-audit-webhook';
import { usageError } from '@fairway/service/command-error';
import { readCloudsYaml } from '@fairway/service/up/clouds';
import { readNodeSettings } from '@fairway/service/up/node-settings';
import type { CliContext } from '../command/context.ts';
import { LAUNCHER_VARIABLE } from '../command/launcher.ts';
import { scheduleProblem } from '../up/backup-options.ts';
import { configurationFile, configuredValues } from './effective.ts';
import { KEYS } from './keys.ts';
import type { Source } from './sources.ts';

/** Problems in the file, the environment, and the files and clouds that they refer to. */
export async function configurationProblems(source: Source, context: Pick<CliContext, 'clock'>): Promise<string[]> {
  return [
    ...source.problems,
    ...missingFiles(source),
    ...nodeSettingsProblems(source),
    ...cloudProblems(source),
    ...offHostProblems(source, context),
    ...auditPolicyProblems(source),
    ...(await auditWebhookProblems(source)),
  ];
}

/**
 * Checks the file, the environment, and the files and clouds that they refer to. Throws a usage error that lists all
 * problems.
 */
export async function checkConfiguration(context: CliContext, named: string | undefined): Promise<void> {
  const file = configurationFile(context, named);
  const source = configuredValues(context, file);
  const problems = await configurationProblems(source, context);
  if (problems.length > 0) throw usageError(problems.join('\n'));
  const warnings = [...unknownVariables(context.env), ...backupWarnings(source)];
  for (const warning of warnings) context.stderr.write(`warning: ${warning}\n`);
  context.stdout.write(`${file ?? 'the environment'} is valid: ${source.found.size} of ${KEYS.length} keys are set\n`);
}

function missingFiles({ found }: Source): string[] {
  return KEYS.flatMap(({ name, facts }) => {
    const value = found.get(name);
    if (facts.path !== 'file' || typeof value?.value !== 'string') return [];
    try {
      accessSync(value.value, constants.R_OK);
      return [];
    } catch (error) {
      return [`${value.origin}: ${name}: cannot read ${value.value} (${(error as NodeJS.ErrnoException).code})`];
    }
  });
}

function nodeSettingsProblems({ found }: Source): string[] {
  const value = found.get('nodes.settingsFile');
  if (typeof value?.value !== 'string') return [];
  const { value: path, origin } = value;
  return problemOf(() => readNodeSettings(path), `${origin}: nodes.settingsFile`);
}

function cloudProblems({ found }: Source): string[] {
  const [name, file] = [found.get('cloud.name'), found.get('cloud.file')];
  if (typeof name?.value !== 'string') return [];
  const { value: cloud, origin } = name;
  return problemOf(() => {
    const clouds = readCloudsYaml(typeof file?.value === 'string' ? file.value : undefined);
    if (clouds.names.includes(cloud)) clouds.get(cloud);
    else throw new Error(`"${cloud}" is not in clouds.yaml; ${suggest(cloud, clouds.names) || 'it has no clouds'}`);
  }, `${origin}: cloud.name`);
}

function auditPolicyProblems({ found }: Source): string[] {
  const value = found.get('audit.policyFile');
  if (typeof value?.value !== 'string') return [];
  const { value: path, origin } = value;
  return problemOf(() => readAuditPolicy(path), `${origin}: audit.policyFile`);
}

async function auditWebhookProblems({ found }: Source): Promise<string[]> {
  const value = found.get('audit.webhook.configFile');
  if (typeof value?.value !== 'string') return [];
  try {
    await auditWebhookConnection(value.value);
    return [];
  } catch (error) {
    return [`${value.origin}: audit.webhook.configFile: ${(error as Error).message}`];
  }
}

function offHostProblems({ found }: Source, { clock }: Pick<CliContext, 'clock'>): string[] {
  const value = found.get('controlPlanes.offHostFile');
  if (typeof value?.value !== 'string') return [];
  const { value: path, origin } = value;
  return problemOf(() => void readOffHost(path, clock).store.close(), `${origin}: controlPlanes.offHostFile`);
}

/** A flag may still specify a store. */
function backupWarnings({ found }: Source): string[] {
  const text = (key: string) => found.get(key)?.value as string | undefined;
  const problem = scheduleProblem(text('backup.schedule'), text('controlPlanes.offHostFile'));
  return problem === undefined ? [] : [`backup.schedule: ${problem}`];
}

function problemOf(read: () => unknown, where: string): string[] {
  try {
    read();
    return [];
  } catch (error) {
    return [`${where}: ${(error as Error).message}`];
  }
}

/** Environment variables of Fairway that aren't settings. */
const NON_CONFIG_VARIABLES = new Set(['FAIRWAY_CONFIG', 'FAIRWAY_BACKUP_PASSPHRASE', LAUNCHER_VARIABLE]);
/** Kubernetes sets these in pods for a Service whose name begins with fairway. */
const SERVICE_VARIABLE = /^FAIRWAY_([A-Z0-9_]+_)?(SERVICE_(HOST|PORT)|PORT)(_|$)/;

function unknownVariables(env: CliContext['env']): string[] {
  const known = KEYS.map(({ variable }) => variable);
  const names = Object.keys(env).filter((name) => name.startsWith('FAIRWAY_') && !SERVICE_VARIABLE.test(name));
  return names
    .filter((name) => !known.includes(name) && !NON_CONFIG_VARIABLES.has(name))
    .map((name) => `${name} is not a setting: ${suggest(name, known)}`);
}
