import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { KindName } from '../resources/kind-names.ts';
import { KINDS_BY_NAME } from '../resources/kinds.ts';

/** Timeout of a completion. */
const PATIENCE_MS = 1500;

/** Names of the objects of a kind; empty on timeout or error: a completion must not print errors. */
export async function namesOnServer(
  context: CliContext,
  globals: GlobalOptions,
  kind: KindName,
): Promise<readonly string[]> {
  try {
    return await withConnection(context, globals, async ({ client, namespace }) => {
      const signal = AbortSignal.any([context.signal, AbortSignal.timeout(PATIENCE_MS)]);
      const { items } = await client.metadata(KINDS_BY_NAME[kind]).list({ namespace, signal });
      return items.flatMap(({ metadata }) => metadata.name ?? []);
    });
  } catch {
    return [];
  }
}
