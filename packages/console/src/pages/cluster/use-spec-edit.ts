import type { Cluster } from '@fairway/api/kinds/cluster';
import { useState } from 'react';
import { clusters } from '../../api/resources.ts';
import type { ClusterSpec } from '../../cluster/draft.ts';
import { withoutEmpty } from '../../cluster/draft.ts';
import { NOTHING_SAID, tryChange } from '../../cluster/dry-run.ts';
import { Edit } from '../../cluster/edit.ts';
import { mergePatch } from '../../cluster/merge-patch.ts';
import { problemsAt } from '../../cluster/problems.ts';
import { useDryRun } from '../../cluster/use-dry-run.ts';
import { useWrite } from '../../cluster/use-write.ts';

/** A part of a cluster's spec that is edited, with what the API says of it. Saves what has been changed alone. */
export function useSpecEdit<K extends 'hibernation' | 'maintenance'>(cluster: Cluster, key: K) {
  const { namespace, name = '' } = cluster.metadata;
  const [edited, setEdited] = useState<{
    readonly before: ClusterSpec[K];
    readonly value: ClusterSpec[K];
    readonly edit: Edit<Cluster>;
  }>();
  const stored: ClusterSpec[K] = cluster.spec[key];
  const value = edited === undefined ? stored : edited.value;
  const patch = edited && mergePatch(withoutEmpty({ [key]: edited.before }), withoutEmpty({ [key]: edited.value }));
  const body = patch && { spec: patch };
  const { result, isAsking } = useDryRun(body && JSON.stringify(body), (signal) =>
    body === undefined ? Promise.resolve(NOTHING_SAID) : tryChange(clusters, { namespace, name }, body, signal),
  );
  const write = useWrite();
  const [isSaved, setIsSaved] = useState(false);
  return {
    value,
    isChanged: body !== undefined,
    patch: body,
    asked: { result, isAsking },
    isSaved,
    write,
    problemsAt: (...fields: readonly string[]) => (body === undefined ? [] : problemsAt(result?.problems, ...fields)),
    set(next: ClusterSpec[K]) {
      setIsSaved(false);
      const { before, edit } = edited ?? { before: stored, edit: new Edit(clusters, cluster) };
      setEdited({ before, edit, value: next });
    },
    async save() {
      if (body === undefined || edited === undefined) return;
      const isDone = await write.run(() => edited.edit.save(body));
      setIsSaved(isDone);
      if (isDone) setEdited(undefined);
    },
  };
}
