import { FAIRWAY_VERSION } from '@fairway/service/version';
import type { CliContext, GlobalOptions } from './context.ts';

interface VersionOptions {
  readonly client?: boolean;
  readonly output?: 'json' | 'yaml';
}

/** Prints this command's version and, by default, the server's. */
export async function printVersion(
  context: CliContext,
  globals: GlobalOptions,
  options: VersionOptions,
): Promise<void> {
  const client = { version: FAIRWAY_VERSION, node: process.version, platform: `${process.platform}/${process.arch}` };
  if (options.client) {
    await print(context, options, { client });
    return;
  }
  const { withConnection } = await import('../client/connect.ts');
  // The client's version is shown even if the server's is unavailable.
  if (options.output === undefined) await print(context, options, { client });
  const server = await withConnection(context, globals, async (connection) => {
    const { gitVersion } = await connection.client.version();
    return { version: gitVersion, url: connection.server };
  });
  await print(context, options, options.output === undefined ? { server } : { client, server });
}

type Versions = Partial<Record<'client' | 'server', Readonly<Record<string, string>>>>;

async function print({ stdout }: CliContext, { output }: VersionOptions, versions: Versions): Promise<void> {
  if (output === 'json') {
    stdout.write(`${JSON.stringify(versions, undefined, 4)}\n`);
    return;
  }
  if (output === 'yaml') {
    const { dump } = await import('js-yaml');
    stdout.write(dump(versions));
    return;
  }
  const { client, server } = versions;
  if (client) stdout.write(`Client: fairway ${client['version']} (Node ${client['node']}, ${client['platform']})\n`);
  if (server) stdout.write(`Server: ${server['version']} at ${server['url']}\n`);
}
