import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliContext } from '../command/context.ts';

export function addCsiCommand(program: Command, context: CliContext): void {
  program
    .command('csi')
    .description(
      'serve the controller part of the Cinder CSI driver to the upstream sidecars, for a cluster that Fairway does not manage',
    )
    .addOption(
      new Option(
        '--endpoint <socket>',
        'socket to listen on, such as unix:///run/csi/csi.sock; only the user who runs this command can use it',
      ).makeOptionMandatory(true),
    )
    .addOption(new Option('--cloud <name>', 'cloud in clouds.yaml').makeOptionMandatory(true))
    .addOption(
      new Option(
        '--cluster <name>',
        'name or UID of the cluster, unique in its project; it marks the volumes of the cluster and must not change',
      )
        .argParser(parseClusterName)
        .makeOptionMandatory(true),
    )
    .addOption(
      new Option('--log-level <level>', 'log level').choices(['debug', 'info', 'warn', 'error']).default('info'),
    )
    .action(async (options) => {
      const { runCsi } = await import('../csi/run.ts');
      await runCsi(context, options);
    });
}

function parseClusterName(text: string): string {
  if (/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/.test(text)) return text;
  throw new InvalidArgumentError(
    'Must be at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends.',
  );
}
