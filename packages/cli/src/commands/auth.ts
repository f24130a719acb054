import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';

/** `fairway auth`: OpenStack identities for kubectl. */
export function addAuthCommands(program: Command, context: CliContext): void {
  const auth = program
    .command('auth')
    .description("sign in to Fairway's API with tokens from the Keystone of an OpenStack cloud");
  const add = (name: string, description: string): Command =>
    auth
      .command(name)
      .description(description)
      .option('--cloud <name>', 'cloud in clouds.yaml; default: OS_CLOUD, else the OS_ variables')
      .option('--project <project>', "name or ID of the project, instead of the project in the cloud's entry");
  add('token', 'print a token, as a credential plugin for kubectl (client.authentication.k8s.io/v1)')
    .addHelpText(
      'after',
      '\nkubectl runs this command when the kubeconfig comes from "fairway kubeconfig --exec". Passwords and passcodes come from clouds.yaml, secure.yaml, OS_ variables or a prompt, never from options.',
    )
    .action(async (options) => {
      const { printToken } = await import('../auth/run.ts');
      await printToken(context, options);
    });
  add('login', 'sign in again, for subsequent runs of kubectl').action(async (options) => {
    const { logIn } = await import('../auth/run.ts');
    await logIn(context, options);
  });
  add('logout', 'revoke the token that is stored on this machine')
    .option('--all', 'revoke the tokens of all clouds and projects')
    .action(async (options) => {
      const { logOut } = await import('../auth/run.ts');
      await logOut(context, options);
    });
}
