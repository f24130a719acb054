import { suggest } from '@fairway/api/domain/suggest';
import { silentLogger } from '@fairway/base/log';
import type { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import { usageError } from '@fairway/service/command-error';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import type { CliContext } from '../command/context.ts';

/** Throws a CommandError if clouds.yaml lacks the cloud, and a CloudConfigError if its entry is incomplete. */
export function requireCloud(yaml: CloudsYaml, name: string): void {
  if (!yaml.names.includes(name)) {
    const hint = suggest(name, yaml.names);
    const suggestion = hint.startsWith('did you mean') ? `; ${hint}` : '';
    throw usageError(
      `clouds.yaml has no cloud "${name}", only: ${yaml.names.join(', ') || 'none'}${suggestion}`,
      'clouds.yaml is searched in OS_CLIENT_CONFIG_FILE, this folder, XDG_CONFIG_HOME/openstack, ~/.config/openstack, /etc/xdg/openstack and /etc/openstack',
    );
  }
  yaml.get(name);
}

/** Timeout for the cloud's first response. */
const CLOUD_TIMEOUT_MS = 15_000;

/**
 * Throws like `requireCloud` before anything starts. A cloud that issues no token causes only a warning on stderr:
 * Fairway must start while its cloud is unavailable, and retries.
 */
export function checkCloudOptions(
  context: Pick<CliContext, 'clock' | 'stderr' | 'signal'>,
  { cloud: name, cloudsFile }: { readonly cloud?: string | undefined; readonly cloudsFile?: string | undefined },
  yaml: () => CloudsYaml = () => readCloudsYaml(cloudsFile),
): Promise<void> {
  if (name === undefined) return Promise.resolve();
  const clouds = yaml();
  requireCloud(clouds, name);
  return loginProblem(context, clouds, name).then((problem) => {
    if (problem === undefined || context.signal.aborted) return;
    context.stderr.write(
      `warning: cloud ${name} rejects Fairway's credential: ${problem}\n  clusters wait until it works, and Fairway retries; see "fairway doctor --cloud ${name}"\n`,
    );
  });
}

/** Why Keystone currently issues no token for a project; undefined if it does. */
async function loginProblem(
  { clock }: Pick<CliContext, 'clock'>,
  yaml: CloudsYaml,
  name: string,
): Promise<string | undefined> {
  const late = Promise.withResolvers<string>();
  const timer = clock.after(CLOUD_TIMEOUT_MS, () => late.resolve(`no answer within ${CLOUD_TIMEOUT_MS / 1000} s`));
  const cloud = openCloud(yaml, name, { clock, random: Math.random, log: silentLogger });
  try {
    const login = cloud.client().session.projectId();
    return await Promise.race([login.then(() => undefined), late.promise]);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    timer.cancel();
    await cloud.close();
  }
}
