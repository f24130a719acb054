import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';
import { milliseconds, timeoutOption } from '../command/options.ts';
import { addGetCommand, addListCommand } from './kind-commands.ts';

const CLOUD =
  'entry in your own clouds.yaml whose user creates and revokes the credential, in the project of the entry';

export function addCredentialCommands(program: Command, context: CliContext): void {
  const words = { kind: 'cloudcredential', plural: 'credentials' } as const;
  const credential = program
    .command('credential')
    .description('create and revoke credentials of your OpenStack project for Fairway');
  credential
    .command('create')
    .description(
      'create an application credential that is limited to the project, using your own login, and store it in Fairway',
    )
    .argument('<name>', 'name of the credential, for spec.credentialName of Clusters')
    .addOption(new Option('--cloud <entry>', CLOUD).makeOptionMandatory(true))
    .option(
      '--fairway-cloud <entry>',
      "name of that cloud in the operator's clouds.yaml; default: the value of --cloud",
    )
    .addOption(
      new Option(
        '--expires <duration>',
        'validity of the credential; default: the credential does not expire',
      ).argParser(milliseconds),
    )
    .option(
      '--trust-to <user-id>',
      "create a trust to Fairway's own user instead; ask the operator for the ID of this user",
    )
    .addOption(
      new Option(
        '--reclaim-policy <policy>',
        'what happens to the credential when the last cluster that uses it is deleted or switches to another credential',
      )
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
    .description('delete a credential that no cluster uses: remove it from Fairway and revoke it in Keystone')
    .argument('<name>', 'name of the credential')
    .addOption(new Option('--cloud <entry>', CLOUD).makeOptionMandatory(true))
    .addOption(timeoutOption('15m'))
    .action(async (name, options) => {
      const { deleteCredential } = await import('../resources/credential.ts');
      await deleteCredential(context, program.opts(), name, options);
    });
}
