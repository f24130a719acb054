import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { clusters } from '@fairway/api/kinds/cluster';
import { renderKubeconfig } from '@fairway/kube/client/kubeconfig';
import { loadKubeServer } from '@fairway/kube/client/kubeconfig-loader';
import type { SignInConfig } from '@fairway/openstack/sign-in/sign-in';
import { CommandError, usageError } from '@fairway/service/command-error';
import { EXEC_API_VERSION } from '../auth/exec-info.ts';
import { obtainToken } from '../auth/run.ts';
import { type CloudSelection, configFiles, signInOptions } from '../auth/sign-in-options.ts';
import { chooseKubeconfig } from '../client/choose-kubeconfig.ts';
import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { namespaceAt } from './exec-namespace.ts';
import { writeKubeconfig } from './write-kubeconfig.ts';

interface ExecKubeconfigOptions extends CloudSelection {
  readonly server?: string;
  /** A path. */
  readonly certificateAuthority?: string;
  /** A path, or true for ~/.kube/config. */
  readonly merge?: string | true;
  readonly output?: string;
  readonly contextName?: string;
}

const INSTALL_HINT = `"fairway" is not in PATH: install the fairway command, which signs kubectl in with your OpenStack cloud.`;

/**
 * A kubeconfig for Fairway's API or for a cluster's API without secrets: kubectl runs `fairway auth token` to get a
 * token.
 */
export async function printExecKubeconfig(
  context: CliContext,
  globals: GlobalOptions,
  clusterName: string | undefined,
  options: ExecKubeconfigOptions,
): Promise<void> {
  const config = signInOptions(context, options);
  const { project, cloud } = options;
  const target =
    clusterName === undefined
      ? await fairwayTarget(context, globals, config, options)
      : await clusterServer(context, globals, clusterName, options);
  const name = [clusterName ?? 'fairway', config.cloud, ...(project === undefined ? [] : [project])].join('-');
  const kubeconfig = renderKubeconfig({
    name,
    userName: name,
    ...target,
    exec: {
      apiVersion: EXEC_API_VERSION,
      command: 'fairway',
      args: [
        'auth',
        'token',
        ...(cloud === undefined && isFromEnvironment(context, config) ? [] : ['--cloud', config.cloud]),
        ...(project === undefined ? [] : ['--project', project]),
      ],
      env: configFiles(context),
      installHint: INSTALL_HINT,
      provideClusterInfo: false,
      interactiveMode: 'IfAvailable',
    },
  });
  await writeKubeconfig(context, kubeconfig, {
    merge: options.merge,
    output: options.output,
    contextName: options.contextName,
  });
}

async function fairwayTarget(
  context: CliContext,
  globals: GlobalOptions,
  config: SignInConfig,
  options: ExecKubeconfigOptions,
): Promise<Server & { readonly namespace: string }> {
  const server = await serverOf(context, globals, options);
  if (globals.namespace !== undefined) return { ...server, namespace: globals.namespace };
  const kept = await obtainToken(context, config, { isInteractive: true, requester: undefined });
  return { ...server, namespace: await namespaceAt(context, server, kept) };
}

/** Whether the cloud is defined by OS_ variables, which must then also be set when kubectl runs. */
function isFromEnvironment({ env }: CliContext, { cloud }: SignInConfig): boolean {
  return env['OS_CLOUD'] === undefined && cloud === (env['OS_CLOUD_NAME'] ?? 'envvars');
}

interface Server {
  readonly server: string;
  readonly certificateAuthority?: string;
  readonly serverName?: string;
}

async function serverOf(context: CliContext, globals: GlobalOptions, options: ExecKubeconfigOptions): Promise<Server> {
  const file = options.certificateAuthority;
  const certificateAuthority = file === undefined ? undefined : await readPem(resolve(context.cwd, file));
  if (options.server !== undefined) {
    if (!URL.canParse(options.server) || new URL(options.server).protocol !== 'https:') {
      throw usageError(`${options.server} is not an https:// URL`, 'tokens are sent to this URL');
    }
    return { server: options.server, ...(certificateAuthority !== undefined && { certificateAuthority }) };
  }
  const { insecureSkipTlsVerify, ...found } = await loadKubeServer({
    path: chooseKubeconfig({ option: globals.kubeconfig, env: context.env, cwd: context.cwd, exists: existsSync }),
    context: globals.context,
    env: context.env,
  });
  if (certificateAuthority !== undefined) return { ...found, certificateAuthority };
  if (insecureSkipTlsVerify) {
    throw usageError(
      "the current kubeconfig does not verify its server's certificate, so tokens could be sent to any server",
      'set --certificate-authority',
    );
  }
  return found;
}

/** A cluster's server as reported by Fairway; tokens are sent nowhere else. */
async function clusterServer(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  options: ExecKubeconfigOptions,
): Promise<Server> {
  if (options.server !== undefined || options.certificateAuthority !== undefined) {
    throw usageError(
      `--server and --certificate-authority apply to Fairway's API, not to cluster "${name}"`,
      'leave them out: Fairway provides the address of the cluster',
    );
  }
  const { spec, status } = await withConnection(context, globals, ({ client, namespace }) =>
    client.resource(clusters).get(name, { namespace, signal: context.signal }),
  );
  if (spec.apiServer.keystone === undefined) {
    throw new CommandError(`cluster "${name}" does not allow Keystone users`, {
      advice: `kubectl patch cluster ${name} --type merge -p '{"spec":{"apiServer":{"keystone":{}}}}'`,
    });
  }
  const { url, caCertificate } = status ?? {};
  if (url === undefined || caCertificate === undefined || status?.keystone === undefined) {
    throw new CommandError(`the API server of cluster "${name}" does not allow Keystone users yet`, {
      advice: `run "kubectl describe cluster ${name}" to see what it is waiting for`,
    });
  }
  return { server: url, certificateAuthority: caCertificate };
}

async function readPem(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw usageError(`cannot read ${path}: ${error.message}`);
  });
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw usageError(`${path} is not a PEM certificate`);
  return text;
}
