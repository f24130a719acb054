import { Argument, type Command } from 'commander';
import type { CliContext } from '../command/context.ts';

export function addCompletionCommands(program: Command, context: CliContext): void {
  program
    .command('completion')
    .description('print a shell script that completes commands, options and names')
    .addArgument(new Argument('<shell>', 'shell to print the script for').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      '\nbash:  source <(fairway completion bash)\nzsh:   source <(fairway completion zsh)\nfish:  fairway completion fish | source',
    )
    .action(async (shell) => {
      const { completionScript } = await import('../completion/scripts.ts');
      context.stdout.write(completionScript(shell));
    });
  program
    .command('man')
    .description('print the manual page of this command, in roff')
    .addHelpText(
      'after',
      '\nRead it:     fairway man | man -l -\nInstall it:  fairway man > /usr/local/share/man/man1/fairway.1',
    )
    .action(async () => {
      const { FAIRWAY_VERSION } = await import('@fairway/service/version');
      const { renderManPage } = await import('../reference/man-page.ts');
      context.stdout.write(renderManPage(program, FAIRWAY_VERSION));
    });
  program
    .command('__complete', { hidden: true })
    .description('print completions for the last word; used by the scripts')
    .allowUnknownOption()
    .helpOption(false)
    .argument('[words...]')
    .action(async (words) => {
      const { complete } = await import('../completion/complete.ts');
      const { namesOnServer } = await import('../completion/names-on-server.ts');
      const { cloudNames, contextNames, projectNames } = await import('../completion/names-in-files.ts');
      const candidates = await complete(program, words, {
        onServer: (kind, scope) => namesOnServer(context, program.opts(), kind, scope),
        clouds: () => cloudNames(context),
        projects: () => projectNames(context),
        contexts: (kubeconfig) => contextNames(context, kubeconfig ?? program.opts().kubeconfig),
      });
      context.stdout.write(candidates.map((candidate) => `${candidate}\n`).join(''));
    });
}
