import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';

export function addReleasesCommands(program: Command, context: CliContext): void {
  const releases = program
    .command('releases')
    .description('Kubernetes binaries for control planes that run as processes of this machine');
  releases
    .command('fetch')
    .description('download and verify the binaries of a release; resumes an interrupted download')
    .argument('<version>', 'exact version of Kubernetes, such as 1.36.3')
    .option(
      '--mirror <url>',
      "base URL with upstream's paths: /release/… of dl.k8s.io, /etcd-io/etcd/releases/… of GitHub",
    )
    .option('--etcd <version>', 'version of etcd; else the one that belongs to the release')
    .action(async (version, options) => {
      const { runFetch } = await import('../releases/run.ts');
      await runFetch(context, version, options);
    });
  releases
    .command('list')
    .alias('ls')
    .description('list the releases whose binaries are on this machine, and where')
    .action(async () => {
      const { listReleases } = await import('../releases/run.ts');
      await listReleases(context);
    });
}
