import type { ServerVersion } from '@fairway/kube/client/kube-client';
import { CommandError } from '@fairway/service/command-error';
import { ExitCode } from '@fairway/service/exit-code';
import { MIN_CEL_MINOR } from '@fairway/service/install/definitions';
import { type InstallResult, install } from '@fairway/service/install/installer';
import { isEmbedded } from '@fairway/service/install/is-embedded';
import { type LostField, lostFieldText } from '@fairway/service/install/lost-fields';
import { manifests } from '@fairway/service/install/manifests';
import { dump } from 'js-yaml';
import { explainManagementError, managementClient, managementConnection } from '../client/management-connection.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';

interface InstallCommandOptions {
  readonly dryRun?: boolean;
  readonly output?: 'json' | 'yaml';
  readonly forceConflicts?: boolean;
  readonly allowDowngrade?: boolean;
}

/** Turns a kubeconfig's cluster into a management cluster, or prints the manifests for it. */
export async function runInstall(
  context: CliContext,
  globals: GlobalOptions,
  options: InstallCommandOptions,
): Promise<void> {
  const { clock, signal, stderr, stdout } = context;
  if (options.output !== undefined) {
    stdout.write(renderManifests(options));
    return;
  }
  const connection = await managementConnection(context, globals);
  const client = managementClient(connection, clock);
  try {
    checkVersion(await client.version(), connection.description);
    const dryRun = options.dryRun === true;
    const forceConflicts = options.forceConflicts === true;
    const allowDowngrade = options.allowDowngrade === true;
    const onLoss = (fields: readonly LostField[]) => {
      for (const field of fields)
        stderr.write(
          `warning: this release does not have ${lostFieldText(field)}; it is lost when the object is next written\n`,
        );
    };
    await install(
      client,
      manifests(),
      { dryRun, forceConflicts, allowDowngrade, onFieldLoss: onLoss, clock, signal },
      (installed) => stdout.write(line(installed, dryRun)),
    );
  } catch (error) {
    throw explainManagementError(error, connection);
  } finally {
    client.close();
  }
}

function renderManifests({ output }: InstallCommandOptions): string {
  const objects = manifests().map(({ object }) => object);
  if (output === 'json') {
    return `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }, undefined, 4)}\n`;
  }
  return objects.map((object) => `---\n${dump(object, { lineWidth: -1, noRefs: true })}`).join('');
}

function checkVersion({ gitVersion, minor }: ServerVersion, server: string): void {
  if (isEmbedded(gitVersion)) {
    throw new CommandError(`${server} is the API of "fairway up", which needs no installation`, {
      exitCode: ExitCode.Usage,
      advice: 'choose the management cluster’s kubeconfig with --kubeconfig or --context',
    });
  }
  if (Number.parseInt(minor, 10) < MIN_CEL_MINOR) {
    throw new CommandError(
      `the API server of ${server} is ${gitVersion}; at least 1.${MIN_CEL_MINOR} is needed to enforce the rules of Fairway's kinds`,
      {
        exitCode: ExitCode.Usage,
        advice: 'upgrade it, or name another management cluster with --kubeconfig or --context',
      },
    );
  }
}

function line({ type, name, change }: InstallResult, dryRun: boolean): string {
  const kind = type.kind.toLowerCase() + (type.group === '' ? '' : `.${type.group}`);
  return `${kind}/${name} ${change}${dryRun ? ' (server dry run)' : ''}\n`;
}
