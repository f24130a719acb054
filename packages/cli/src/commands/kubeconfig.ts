import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';
import { durationBetween, milliseconds } from '../command/options.ts';

export function addKubeconfigCommand(program: Command, context: CliContext): void {
  declareKubeconfigCommand(program, context, program, '[cluster]');
}

/** Adds the same command at the top level and among the verbs of clusters. */
export function declareKubeconfigCommand(
  parent: Command,
  context: CliContext,
  program: Command,
  cluster: '<cluster>' | '[cluster]',
): void {
  parent
    .command('kubeconfig')
    .description(
      "print a kubeconfig: a short-lived one for a cluster's own API, or one without secrets for a cluster or Fairway",
    )
    .argument(cluster, `name of the cluster${cluster === '[cluster]' ? '; default with --exec: Fairway itself' : ''}`)
    .addOption(
      new Option('--expiration <duration>', 'validity of the credential, from 10m to 24h')
        .argParser(durationBetween('10m', '24h'))
        .default(milliseconds('1h'), '1h'),
    )
    .addOption(
      new Option('-o, --output <file>', 'write the kubeconfig to a file that only you can read').conflicts('merge'),
    )
    .option(
      '--merge [file]',
      'merge the kubeconfig into an existing one (default: KUBECONFIG, else ~/.kube/config) and set the current context',
    )
    .option(
      '--context-name <name>',
      "name of the context; default: the cluster's name, combined with the cloud's name if --exec is given",
    )
    .option('--exec', 'print a kubeconfig without secrets, with which kubectl runs "fairway auth token"')
    .option('--cloud <name>', 'with --exec: cloud in clouds.yaml; default: OS_CLOUD, else the OS_ variables')
    .option(
      '--project <project>',
      "with --exec: name or ID of the project, instead of the project in the cloud's entry",
    )
    .option('--server <url>', "with --exec: address of Fairway's API; default: the address in the current kubeconfig")
    .option(
      '--certificate-authority <file>',
      "with --exec: CA certificates that the server's certificate must chain to; default: the CAs in the current kubeconfig, or the public CAs if --server is given",
    )
    .addHelpText(
      'after',
      '\nExamples:\n  fairway kubeconfig demo -o demo.kubeconfig\n  fairway kubeconfig --exec --cloud mycloud --server https://fairway.example.com --merge\n  fairway kubeconfig demo --exec --cloud mycloud --merge',
    )
    .action(async (name, options) => {
      if (options.exec) {
        const { printExecKubeconfig } = await import('../resources/exec-kubeconfig.ts');
        return printExecKubeconfig(context, program.opts(), name, options);
      }
      const { printKubeconfig } = await import('../resources/kubeconfig.ts');
      await printKubeconfig(context, program.opts(), name, options);
    });
}
