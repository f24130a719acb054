import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';
import { outputOption } from '../command/options.ts';
import { type CloudList, LIMITED_BY_PLANS } from '../resources/cloud-list.ts';

const LISTS: Readonly<Record<CloudList, string>> = {
  flavors: 'list the flavors that nodes can have',
  images: 'list the images that nodes can boot',
  zones: 'list the availability zones of nodes',
  networks: 'list the networks that nodes can be in, and those that lead out',
  'volume-types': 'list the types of volumes that nodes can boot from',
  quota: 'list the quotas of the project, and what is left of them',
};

export function addCloudCommands(program: Command, context: CliContext): void {
  const cloud = program
    .command('cloud')
    .description("list what clusters of the namespace may choose in its cloud, from Fairway's CloudProfiles");
  for (const [list, description] of Object.entries(LISTS)) {
    const command = cloud
      .command(list)
      .description(description)
      .option('--credential <name>', "in the project of this CloudCredential; default: the namespace's own cloud")
      .addOption(outputOption(['json', 'yaml', 'name']));
    if (list in LIMITED_BY_PLANS) command.option('--plan <plan>', 'only what this plan allows');
    command.action(async (options) => {
      const { printCloudList } = await import('../resources/cloud-lists.ts');
      await printCloudList(context, program.opts(), list as CloudList, options);
    });
  }
}
