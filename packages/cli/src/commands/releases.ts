import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';

export function addReleasesCommands(program: Command, context: CliContext): void {
  const releases = program
    .command('releases')
    .description('programs of Kubernetes for control planes that run as processes of this machine');
  releases
    .command('fetch')
    .description('download and verify the programs of a release; what was begun is gone on with')
    .argument('<version>', 'exact version of Kubernetes, such as 1.36.3')
    .option(
      '--mirror <url>',
      "address with upstream's paths below it: /release/… of dl.k8s.io, /etcd-io/etcd/releases/… of GitHub",
    )
    .option('--etcd <version>', 'version of etcd; else the one that belongs to the release')
    .action(async (version, options) => {
      const { runFetch } = await import('../releases/run.ts');
      await runFetch(context, version, options);
    });
  releases
    .command('list')
    .alias('ls')
    .description('list the releases whose programs are on this machine, and where')
    .action(async () => {
      const { listReleases } = await import('../releases/run.ts');
      await listReleases(context);
    });
}
