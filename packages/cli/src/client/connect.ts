import { existsSync } from 'node:fs';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { loadKubeConnection } from '@fairway/kube/client/kubeconfig-loader';
import { FAIRWAY_VERSION } from '@fairway/service/version';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { printable } from '../output/printable.ts';
import { chooseKubeconfig, isKubeconfigExplicit } from './choose-kubeconfig.ts';

/** Fairway's API, with the user's credentials. */
export interface Connection {
  readonly client: KubeClient;
  /** Namespace of the objects. */
  readonly namespace: string;
  readonly server: string;
}

/**
 * Calls `use` with the API selected by the options and the environment, then closes it. Prints each warning from the
 * API once to stderr.
 */
export async function withConnection<T>(
  context: Pick<CliContext, 'env' | 'cwd' | 'clock' | 'stderr'> & {
    /** Whether a credential plugin may prompt; defaults to whether standard input is a terminal. */
    readonly isTerminal?: boolean;
    /** Ends a plugin that is still running. */
    readonly signal?: AbortSignal;
  },
  options: GlobalOptions,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const choice = { option: options.kubeconfig, env: context.env };
  const path = chooseKubeconfig({ ...choice, cwd: context.cwd, exists: existsSync });
  const { transport, namespace } = await loadKubeConnection({
    path,
    mayRunPlugins: isKubeconfigExplicit(path, choice),
    context: options.context,
    env: context.env,
    clock: context.clock,
    ...(context.isTerminal !== undefined && { isTerminal: context.isTerminal }),
    ...(context.signal && { signal: context.signal }),
  });
  const printedWarnings = new Set<string>();
  const client = new KubeClient(new HttpsTransport({ ...transport, clock: context.clock }), {
    userAgent: `fairway/${FAIRWAY_VERSION}`,
    clock: context.clock,
    onWarning(text) {
      if (!printedWarnings.has(text)) context.stderr.write(`Warning: ${printable(text)}\n`);
      printedWarnings.add(text);
    },
  });
  try {
    return await use({ client, namespace: options.namespace ?? namespace ?? 'default', server: transport.server });
  } finally {
    client.close();
  }
}
