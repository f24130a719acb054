import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';
import { outputOption } from '../command/options.ts';
import { type CloudList, PLAN_LIMITED_LISTS } from '../resources/cloud-list.ts';

const LIST_DESCRIPTIONS: Readonly<Record<CloudList, string>> = {
  flavors: 'list the flavors available to nodes',
  images: 'list the images available to nodes',
  zones: 'list the availability zones available to nodes',
  networks: 'list the networks available to nodes and the external networks',
  'volume-types': 'list the volume types that nodes can boot from',
  quota: 'list the quotas of the project and what is left of them',
};

export function addCloudCommands(program: Command, context: CliContext): void {
  const cloud = program
    .command('cloud')
    .description("list what clusters in the namespace can choose in their cloud, from Fairway's CloudProfiles");
  for (const [list, description] of Object.entries(LIST_DESCRIPTIONS)) {
    const command = cloud
      .command(list)
      .description(description)
      .option(
        '--credential <name>',
        "show the cloud as seen by the project of this CloudCredential; default: the namespace's own cloud",
      )
      .addOption(outputOption(['json', 'yaml', 'name']));
    if (list in PLAN_LIMITED_LISTS) command.option('--plan <plan>', 'show only items that this plan allows');
    command.action(async (options) => {
      const { printCloudList } = await import('../resources/cloud-lists.ts');
      await printCloudList(context, program.opts(), list as CloudList, options);
    });
  }
}
