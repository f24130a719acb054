import { existsSync } from 'node:fs';
import { type KubernetesRelease, kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { plans } from '@fairway/api/kinds/plan';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { loadKubeConnection } from '@fairway/kube/client/kubeconfig-loader';
import { chooseKubeconfig, isKubeconfigExplicit } from '../../client/choose-kubeconfig.ts';
import type { CliContext, GlobalOptions } from '../../command/context.ts';
import { known, type ObservedValue } from '../observed-value.ts';
import type { StoredPlan } from './stated-limits.ts';

export type ReadPlans = ObservedValue<{
  readonly plans: readonly StoredPlan[];
  readonly releases: readonly KubernetesRelease[];
}>;

/** Plans and releases of the Fairway that the kubeconfig refers to. A cloud is often checked before there is one. */
export function readPlans({ env, cwd, signal }: CliContext, globals: GlobalOptions): Promise<ReadPlans> {
  return known(async () => {
    const choice = { option: globals.kubeconfig, env };
    const path = chooseKubeconfig({ ...choice, cwd, exists: existsSync });
    const mayRunPlugins = isKubeconfigExplicit(path, choice);
    const connection = await loadKubeConnection({ path, mayRunPlugins, context: globals.context, env });
    const client = new KubeClient(new HttpsTransport(connection.transport));
    try {
      const [planList, releaseList] = await Promise.all([
        client.resource(plans).list({ signal }),
        client.resource(kubernetesReleases).list({ signal }),
      ]);
      return { plans: planList.items, releases: releaseList.items };
    } finally {
      client.close();
    }
  });
}
