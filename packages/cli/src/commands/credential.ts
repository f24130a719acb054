import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';
import { milliseconds, timeoutOption } from '../command/options.ts';
import { addGetCommand, addListCommand } from './kind-commands.ts';

const CLOUD = 'entry of your own clouds.yaml: whose user makes the credential, and in which project';

export function addCredentialCommands(program: Command, context: CliContext): void {
  const words = { kind: 'cloudcredential', plural: 'credentials' } as const;
  const credential = program
    .command('credential')
    .description('give Fairway a credential of your OpenStack project, and take it back');
  credential
    .command('create')
    .description('make an application credential with your own login, limited to the project, and give it to Fairway')
    .argument('<name>', 'what Clusters call it in spec.credentialName')
    .addOption(new Option('--cloud <entry>', CLOUD).makeOptionMandatory(true))
    .option('--fairway-cloud <entry>', "what Fairway's operator calls that cloud; the same name when left out")
    .addOption(
      new Option('--expires <duration>', 'how long it is good for; forever when left out').argParser(milliseconds),
    )
    .option('--trust-to <user-id>', "make a trust to Fairway's own user instead; the operator tells its id")
    .addOption(
      new Option('--reclaim-policy <policy>', 'what becomes of it when the last cluster that used it is gone')
        .choices(['Retain', 'Delete'])
        .default('Retain'),
    )
    .addOption(timeoutOption('30s'))
    .addHelpText('after', '\nExample:\n  fairway credential create mine --cloud my-project --expires 2160h')
    .action(async (name, options) => {
      const { createCredential } = await import('../resources/credential.ts');
      await createCredential(context, program.opts(), name, options);
    });
  addListCommand(credential, context, program, words);
  addGetCommand(credential, context, program, words);
  credential
    .command('delete')
    .description('take a credential from Fairway once no cluster uses it, and revoke it in Keystone')
    .argument('<name>', 'the credential')
    .addOption(new Option('--cloud <entry>', CLOUD).makeOptionMandatory(true))
    .addOption(timeoutOption('15m'))
    .action(async (name, options) => {
      const { deleteCredential } = await import('../resources/credential.ts');
      await deleteCredential(context, program.opts(), name, options);
    });
}
