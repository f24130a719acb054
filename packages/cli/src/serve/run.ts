import { isApiError } from '@fairway/kube/object/api-error';
import { homePath } from '../client/choose-kubeconfig.ts';
import {
  explainedByManagement,
  type ManagementConnection,
  managementClient,
  managementConnection,
} from '../client/management-connection.ts';
import { CliError } from '../command/cli-error.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { ExitCode } from '../command/exit-code.ts';
import { createLogger } from '../command/logger.ts';
import type { FairwayCommandOptions } from '../commands/fairway-options.ts';
import { MissingKindsError } from '../fairway/management-engine.ts';
import { foreignKindsMessage } from '../install/foreign-definitions.ts';
import { chosenControlPlanes } from '../up/chosen-control-planes.ts';
import { Home, HomeInUseError } from '../up/home.ts';
import type { ListenAddress } from '../up/listen-address.ts';
import { readNodeSettings } from '../up/node-settings.ts';
import { explainStart } from '../up/run.ts';
import { FOREIGN_ADVICE, ForeignControlPlanesError } from './control-plane-place.ts';
import type { GatewayServing } from './gateway.ts';
import { type RunningReplica, serve } from './serve.ts';

interface ServeCommandOptions extends FairwayCommandOptions {
  readonly gateway: boolean;
  readonly listen: ListenAddress;
  readonly tlsSan: readonly string[];
  readonly webhookUrl?: string;
}

/** Runs Fairway over a management cluster until the first SIGINT or SIGTERM, and then to an orderly end. */
export async function runServe(
  context: CliContext,
  globals: GlobalOptions,
  options: ServeCommandOptions,
): Promise<void> {
  const { clock, stderr, stdout, signal } = context;
  const home = new Home(homePath(options.home, context.env, context.cwd));
  const connection = await managementConnection(context, globals);
  const controlPlanes = await chosenControlPlanes(context, options, home, options.cloud !== undefined);
  const nodeSettings = options.nodeSettings === undefined ? undefined : readNodeSettings(options.nodeSettings);
  const startedMs = clock.now();
  const running = await start(connection, `${options.listen.host}:${options.listen.port}`, () =>
    serve({
      home,
      client: managementClient(connection, clock, 'fairway-controllers'),
      cloud: options.cloud,
      gateway: gatewayOf(connection, options),
      defaultImage: options.defaultImage,
      nodeSettings,
      observeMs: options.cloudCheck,
      credentialCheckMs: options.credentialCheck,
      controlPlanes,
      clock,
      random: Math.random,
      log: createLogger(options.logLevel),
      signal,
      onStep: (step) => stderr.write(`  ${step}\n`),
      onForeignKinds: (names) => {
        if (names.length > 0) stderr.write(`warning: ${foreignKindsMessage(names)}\n`);
      },
    }),
  );
  const seconds = ((clock.now() - startedMs) / 1000).toFixed(1);
  if (!signal.aborted) {
    stdout.write(welcome(running, { server: connection.description, seconds, home }));
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  }
  stderr.write('stopping; once more to stop at once\n');
  await running.stop();
  stderr.write('stopped\n');
}

/** Undefined with `--no-gateway`. */
function gatewayOf({ transport }: ManagementConnection, options: ServeCommandOptions): GatewayServing | undefined {
  const { gateway, listen, tlsSan, webhookUrl } = options;
  if (!gateway) return undefined;
  if (webhookUrl === undefined && (listen.host === '0.0.0.0' || listen.host === '::')) {
    throw new CliError(`--listen ${listen.host}:${listen.port} is no address that the API server could call`, {
      exitCode: ExitCode.Usage,
      advice: 'name the address of the gateways with --webhook-url https://HOST:PORT',
    });
  }
  return { connection: transport, listen, hosts: tlsSan, webhookUrl };
}

function welcome(
  { gateway, cloudName, identity }: RunningReplica,
  { server, seconds, home }: { readonly server: string; readonly seconds: string; readonly home: Home },
): string {
  if (gateway) home.write(home.gatewayAuthority, gateway.certificateAuthority);
  const lines = [
    `Fairway serves ${server} after ${seconds} s`,
    ...(gateway ? [`  gateway     ${gateway.url}, which clients trust by ${home.gatewayAuthority}`] : []),
    `  replica     ${identity}`,
    `  cloud       ${cloudName}`,
    `  home        ${home.path}`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}

async function start(
  connection: ManagementConnection,
  listen: string,
  run: () => Promise<RunningReplica>,
): Promise<RunningReplica> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof HomeInUseError) throw new CliError(error.message, { cause: error });
    if (error instanceof ForeignControlPlanesError) {
      throw new CliError(error.message, { exitCode: ExitCode.Usage, advice: FOREIGN_ADVICE, cause: error });
    }
    if (error instanceof MissingKindsError) {
      throw new CliError(`${error.message} (${connection.description})`, {
        exitCode: ExitCode.Usage,
        advice: 'run "fairway install" with the same kubeconfig, as an administrator of that cluster',
        cause: error,
      });
    }
    if (isApiError(error, 'Forbidden')) {
      throw new CliError(error.message, {
        advice: 'serve as the ServiceAccount fairway-system/fairway, whose rights "fairway install" writes',
        cause: error,
      });
    }
    throw explainStart(explainedByManagement(error, connection), listen);
  }
}
