import type { Cluster } from '@fairway/api/kinds/cluster';
import { useState } from 'react';
import { clusters } from '../../api/resources.ts';
import type { ClusterSpec } from '../../cluster/draft.ts';
import { omitEmpty } from '../../cluster/draft.ts';
import { dryRunPatch, EMPTY_RESULT } from '../../cluster/dry-run.ts';
import { Edit } from '../../cluster/edit.ts';
import { mergePatch } from '../../cluster/merge-patch.ts';
import { problemsAt } from '../../cluster/problems.ts';
import { useDryRun } from '../../cluster/use-dry-run.ts';
import { useWrite } from '../../cluster/use-write.ts';

/** A part of a cluster's spec in a form, with the API's messages. Saves only changed fields. */
export function useSpecEdit<K extends 'hibernation' | 'maintenance'>(cluster: Cluster, key: K) {
  const { namespace, name = '' } = cluster.metadata;
  const [edited, setEdited] = useState<{
    readonly base: ClusterSpec[K];
    readonly value: ClusterSpec[K];
    readonly edit: Edit<Cluster>;
  }>();
  const stored: ClusterSpec[K] = cluster.spec[key];
  const value = edited === undefined ? stored : edited.value;
  const patch = edited && mergePatch(omitEmpty({ [key]: edited.base }), omitEmpty({ [key]: edited.value }));
  const body = patch && { spec: patch };
  const { result, isAsking } = useDryRun(body && JSON.stringify(body), (signal) =>
    body === undefined ? Promise.resolve(EMPTY_RESULT) : dryRunPatch(clusters, { namespace, name }, body, signal),
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
      const { base, edit } = edited ?? { base: stored, edit: new Edit(clusters, cluster) };
      setEdited({ base, edit, value: next });
    },
    async save() {
      if (body === undefined || edited === undefined) return;
      const isDone = await write.run(() => edited.edit.save(body));
      setIsSaved(isDone);
      if (isDone) setEdited(undefined);
    },
  };
}
