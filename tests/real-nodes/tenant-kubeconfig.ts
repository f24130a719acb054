import { writeFileSync } from 'node:fs';
import { clusters } from '@fairway/api/kinds/cluster';
import { findCondition } from '@fairway/kube/controller/conditions';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import { clientOf } from '../session/client-of.ts';
import { type RunningFairway, run } from '../session/running-fairway.ts';

/**
 * Writes the kubeconfig of a cluster in the `default` namespace to a file, once its control plane is ready. Resolves
 * with the file.
 */
export async function writeTenantKubeconfig(
  { kubeconfig }: RunningFairway,
  name: string,
  file: string,
  waitOptions: { readonly deadlineMs?: number } = {},
): Promise<string> {
  const api = await clientOf(kubeconfig);
  try {
    await eventuallyObject(
      api.resource(clusters),
      { namespace: 'default', name },
      ({ status }) => findCondition(status?.conditions, 'ControlPlaneReady')?.status === 'True',
      waitOptions,
    );
  } finally {
    api.close();
  }
  const { code, stdout, stderr } = await run('npx', ['fairway', 'kubeconfig', name], { KUBECONFIG: kubeconfig });
  if (code !== 0) throw new Error(stderr);
  writeFileSync(file, stdout, { mode: 0o600 });
  return file;
}
