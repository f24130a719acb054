import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';
import { durationFrom, milliseconds } from '../command/options.ts';

export function addKubeconfigCommand(program: Command, context: CliContext): void {
  declareKubeconfigCommand(program, context, program, '[cluster]');
}

/** The same command for all, and beside the other verbs of clusters. */
export function declareKubeconfigCommand(
  parent: Command,
  context: CliContext,
  program: Command,
  cluster: '<cluster>' | '[cluster]',
): void {
  parent
    .command('kubeconfig')
    .description(
      "print a kubeconfig: a short-lived one for a cluster's own API, or one without secrets for that or Fairway's",
    )
    .argument(cluster, `name of the cluster${cluster === '[cluster]' ? '; with --exec none means Fairway itself' : ''}`)
    .addOption(
      new Option('--expiration <duration>', 'how long it is valid: from 10m to 24h')
        .argParser(durationFrom('10m', '24h'))
        .default(milliseconds('1h'), '1h'),
    )
    .option('--merge [file]', 'put it into a kubeconfig instead (~/.kube/config), and make it the current context')
    .option(
      '--context-name <name>',
      "what its context is called; default: the cluster's name, with that of the cloud where there is --exec",
    )
    .option('--exec', 'one without secrets, in which kubectl runs "fairway auth token"')
    .option('--cloud <name>', 'with --exec: cloud of clouds.yaml; default: OS_CLOUD, else the OS_ variables')
    .option('--project <project>', "with --exec: name or id of the project, in place of the cloud's own")
    .option('--server <url>', "with --exec: address of Fairway's API; default: that of the kubeconfig in use")
    .option(
      '--certificate-authority <file>',
      'with --exec: certificates that its own must chain to; default: those of the kubeconfig in use, or public ones with --server',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  fairway kubeconfig demo > demo.kubeconfig\n  fairway kubeconfig --exec --cloud mycloud --server https://fairway.example.com --merge\n  fairway kubeconfig demo --exec --cloud mycloud --merge',
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
