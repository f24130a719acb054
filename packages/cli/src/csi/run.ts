import { type CsiServer, type CsiServerOptions, serveCsi } from '@fairway/csi/server';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import { CommandError, usageError } from '@fairway/service/command-error';
import { type LogLevel, LogLevels } from '@fairway/service/log-levels';
import { createLogger } from '@fairway/service/logger';
import { openCloud, openProject, readCloudsYaml } from '@fairway/service/up/clouds';
import { FAIRWAY_VERSION } from '@fairway/service/version';
import type { CliContext } from '../command/context.ts';
import { requireCloud } from '../up/cloud-options.ts';

interface CsiOptions {
  readonly endpoint: string;
  readonly cloud: string;
  readonly cluster: string;
  readonly logLevel: LogLevel;
}

/** Serves the CSI driver's controller until the process is stopped. */
export async function runCsi(
  context: CliContext,
  { endpoint, cloud: name, cluster, logLevel }: CsiOptions,
): Promise<void> {
  const { clock, signal, stderr } = context;
  const log = createLogger(new LogLevels(logLevel)).child({ name: 'csi' });
  const clouds = readCloudsYaml();
  requireCloud(clouds, name);
  const opening = { clock, random: Math.random, log, userAgent: 'fairway-csi' };
  const cloud = openCloud(clouds, name, opening);
  try {
    const project = openProject(cloud, opening);
    await requireLogin(project, name);
    const { random } = opening;
    const server = await serve({
      endpoint,
      cloud: project,
      clusterUid: cluster,
      version: FAIRWAY_VERSION,
      clock,
      random,
      log,
    });
    stderr.write(`serving the volumes of cluster ${cluster} at ${endpoint}; stop with Ctrl-C\n`);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await server.stop();
    project.cache.stop();
  } finally {
    await cloud.close();
  }
}

/** Reports wrong credentials immediately instead of at each call; waits for a cloud that is unavailable. */
async function requireLogin({ client }: CsiServerOptions['cloud'], name: string): Promise<void> {
  try {
    await client.session.projectId();
  } catch (error) {
    if (!isOpenStackError(error, 'unauthorized')) return;
    throw new CommandError(`cloud "${name}" rejects Fairway's credential: ${error.message}`, {
      advice: 'correct its entry in clouds.yaml',
      cause: error,
    });
  }
}

async function serve(options: CsiServerOptions): Promise<CsiServer> {
  try {
    return await serveCsi(options);
  } catch (error) {
    throw usageError(`cannot listen at ${options.endpoint}: ${(error as Error).message}`, undefined, error);
  }
}
