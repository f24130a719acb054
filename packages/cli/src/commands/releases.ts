import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';

export function addReleasesCommands(program: Command, context: CliContext): void {
  const releases = program
    .command('releases')
    .description('manage Kubernetes binaries for process-based control planes on this machine');
  releases
    .command('fetch')
    .description('download and verify the binaries of a release; resumes an interrupted download')
    .argument('<version>', 'exact version of Kubernetes, such as 1.36.3')
    .option(
      '--mirror <url>',
      'base URL of a mirror with the same paths as upstream: /release/… as on dl.k8s.io, /etcd-io/etcd/releases/… as on GitHub',
    )
    .option('--etcd <version>', 'version of etcd; default: the version that belongs to the release')
    .action(async (version, options) => {
      const { runFetch } = await import('../releases/run.ts');
      await runFetch(context, version, options);
    });
  releases
    .command('list')
    .alias('ls')
    .description('list the releases whose binaries are on this machine, and where they are')
    .action(async () => {
      const { listReleases } = await import('../releases/run.ts');
      await listReleases(context);
    });
}
