import { GROUP, SYSTEM_NAMESPACE } from '@fairway/api/group';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ConfigMap } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';

/** Annotation of the ConfigMap that records a restore's progress; its value is the ID of the backup. */
export const RESTORE_LABEL = `${GROUP}/restore`;

/**
 * Progress of a restore once all objects exist. `Resuming`: controllers are taking over the objects, which may have
 * been changed or deleted since. Another run creates nothing more, and resumes the remaining objects. `Done`: all
 * objects are resumed.
 */
export type RestorePhase = 'Resuming' | 'Done';

const PHASES: readonly RestorePhase[] = ['Resuming', 'Done'];

/** The recorded phase of this backup's restore; undefined while objects are still being created. */
export async function readPhase(client: KubeClient, backupId: string): Promise<RestorePhase | undefined> {
  try {
    const { data } = await client.resource(ConfigMaps).get(nameOf(backupId), { namespace: SYSTEM_NAMESPACE });
    return PHASES.find((phase) => phase === data?.['phase']);
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Records a phase; the following steps rely on it. */
export async function writePhase(
  client: KubeClient,
  backupId: string,
  phase: RestorePhase,
  facts: Readonly<Record<string, string>>,
): Promise<void> {
  const record: ConfigMap = {
    apiVersion: 'v1',
    kind: ConfigMaps.kind,
    metadata: { name: nameOf(backupId), namespace: SYSTEM_NAMESPACE, labels: { [RESTORE_LABEL]: backupId } },
    data: { ...facts, phase },
  };
  await client.resource(ConfigMaps).apply(record, { fieldManager: 'fairway-restore', force: true });
}

function nameOf(backupId: string): string {
  return `fairway-restore-${backupId}`;
}
