import type { Cluster } from '@fairway/api/kinds/cluster';
import { useState } from 'react';
import { clusters } from '../../api/resources.ts';
import { change } from '../../api/write.ts';
import type { ClusterSpec } from '../../cluster/draft.ts';
import { withoutEmpty } from '../../cluster/draft.ts';
import { NOTHING_SAID, tryChange } from '../../cluster/dry-run.ts';
import { mergePatch } from '../../cluster/merge-patch.ts';
import { problemsAt } from '../../cluster/problems.ts';
import { useVerdict } from '../../cluster/use-verdict.ts';
import { useWrite } from '../../cluster/use-write.ts';

/** A part of a cluster's spec that is edited, with what the API says of it. Saves what has been changed alone. */
export function useSpecEdit<K extends 'hibernation' | 'maintenance'>(cluster: Cluster, key: K) {
  const { namespace, name = '' } = cluster.metadata;
  const [edited, setEdited] = useState<{ readonly before: ClusterSpec[K]; readonly value: ClusterSpec[K] }>();
  const stored: ClusterSpec[K] = cluster.spec[key];
  const value = edited === undefined ? stored : edited.value;
  const patch = edited && mergePatch(withoutEmpty({ [key]: edited.before }), withoutEmpty({ [key]: edited.value }));
  const body = patch && { spec: patch };
  const { verdict, isAsking } = useVerdict(body && JSON.stringify(body), (signal) =>
    body === undefined ? Promise.resolve(NOTHING_SAID) : tryChange(clusters, { namespace, name }, body, signal),
  );
  const write = useWrite();
  const [isSaved, setIsSaved] = useState(false);
  return {
    value,
    isChanged: body !== undefined,
    patch: body,
    asked: { verdict, isAsking },
    isSaved,
    write,
    problemsAt: (...fields: readonly string[]) => (body === undefined ? [] : problemsAt(verdict?.problems, ...fields)),
    set(next: ClusterSpec[K]) {
      setIsSaved(false);
      setEdited({ before: edited === undefined ? stored : edited.before, value: next });
    },
    async save() {
      if (body === undefined) return;
      const isDone = await write.run(() => change(clusters, { namespace, name }, body));
      setIsSaved(isDone);
      if (isDone) setEdited(undefined);
    },
  };
}
