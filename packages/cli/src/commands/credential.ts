import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';
import { milliseconds, timeoutOption } from '../command/options.ts';
import { addGetCommand, addListCommand } from './kind-commands.ts';

const CLOUD = 'entry of your own clouds.yaml, whose user creates the credential, in its project';

export function addCredentialCommands(program: Command, context: CliContext): void {
  const words = { kind: 'cloudcredential', plural: 'credentials' } as const;
  const credential = program
    .command('credential')
    .description('create and revoke credentials of your OpenStack project for Fairway');
  credential
    .command('create')
    .description('create an application credential with your own login, limited to the project, and give it to Fairway')
    .argument('<name>', 'its name, for spec.credentialName of Clusters')
    .addOption(new Option('--cloud <entry>', CLOUD).makeOptionMandatory(true))
    .option('--fairway-cloud <entry>', "name of that cloud at Fairway's operator; default: the same name")
    .addOption(new Option('--expires <duration>', 'how long it is valid; default: no expiry').argParser(milliseconds))
    .option('--trust-to <user-id>', "create a trust to Fairway's own user instead; the operator knows its id")
    .addOption(
      new Option('--reclaim-policy <policy>', 'what happens to it when the last cluster that uses it is deleted')
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
    .description('delete a credential that no cluster uses from Fairway, and revoke it in Keystone')
    .argument('<name>', 'the credential')
    .addOption(new Option('--cloud <entry>', CLOUD).makeOptionMandatory(true))
    .addOption(timeoutOption('15m'))
    .action(async (name, options) => {
      const { deleteCredential } = await import('../resources/credential.ts');
      await deleteCredential(context, program.opts(), name, options);
    });
}
