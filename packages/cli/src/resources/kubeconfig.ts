import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { API_VERSION } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import {
  KUBECONFIG_REQUEST_KIND,
  KUBECONFIG_SUBRESOURCE,
  type KubeconfigRequest,
} from '@fairway/api/kinds/kubeconfig-request';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { mergeKubeconfigs, parseKubeconfig } from '@fairway/kube/client/kubeconfig';
import { isApiError } from '@fairway/kube/object/api-error';
import { CommandError } from '@fairway/service/command-error';
import { dump } from 'js-yaml';
import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';

interface KubeconfigOptions {
  /** Milliseconds. */
  readonly expiration: number;
  /** A path, or true for ~/.kube/config. */
  readonly merge?: string | true;
}

export async function printKubeconfig(
  context: CliContext,
  globals: GlobalOptions,
  clusterName: string,
  options: KubeconfigOptions,
): Promise<void> {
  const { kubeconfig, expirationTimestamp } = await withConnection(context, globals, async ({ client, namespace }) => {
    const request: KubeconfigRequest = {
      apiVersion: API_VERSION,
      kind: KUBECONFIG_REQUEST_KIND.kind,
      metadata: {},
      spec: { expirationSeconds: Math.round(options.expiration / 1000) },
    };
    const write = { namespace, signal: context.signal };
    try {
      const answer = await client
        .resource(clusters)
        .createSubresource(clusterName, KUBECONFIG_SUBRESOURCE, request, write);
      if (answer.status === undefined) throw new CommandError('the response has no kubeconfig');
      return answer.status;
    } catch (error) {
      throw await explained(error, client, clusterName, namespace);
    }
  });
  if (options.merge === undefined) {
    context.stdout.write(kubeconfig);
    return;
  }
  const path =
    options.merge === true
      ? join(context.env['HOME'] ?? homedir(), '.kube', 'config')
      : resolve(context.cwd, options.merge);
  await mergeInto(path, kubeconfig);
  context.stderr.write(`${path}: merged, and set as the current context; valid until ${expirationTimestamp}\n`);
}

/** kube-apiserver serves the Cluster but not its kubeconfig subresource, which is the gateway's. */
async function explained(refusal: unknown, client: KubeClient, name: string, namespace: string): Promise<unknown> {
  if (!isApiError(refusal, 'NotFound')) return refusal;
  try {
    await client.resource(clusters).get(name, { namespace });
  } catch {
    return refusal;
  }
  return new CommandError(`the API server has cluster "${name}", but does not issue kubeconfigs`, {
    advice: 'use the gateway of "fairway serve": set its address and CA in the kubeconfig',
    cause: refusal,
  });
}

/** New entries override old ones of the same name; the file is replaced atomically, accessible to its owner only. */
async function mergeInto(path: string, kubeconfig: string): Promise<void> {
  const existing = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new CommandError(`cannot read ${path}: ${error.message}`);
  });
  const merged = mergeKubeconfigs([
    parseKubeconfig(kubeconfig, 'the answer'),
    ...(existing === undefined ? [] : [parseKubeconfig(existing, path)]),
  ]);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.draft`;
  await writeFile(draft, dump(merged, { lineWidth: -1 }), { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, path);
}
