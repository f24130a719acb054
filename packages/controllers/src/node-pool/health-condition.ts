import { ConditionType } from '@fairway/api/conditions';
import { counted } from '@fairway/api/domain/counted';
import type { Machine } from '@fairway/api/kinds/machine';
import type { RepairMark } from '@fairway/api/kinds/machine-marks';
import type { ConditionState } from '@fairway/kube/controller/conditions';

interface Marked {
  readonly name: string;
  readonly mark: RepairMark;
}

/** The decisions of healing about the pool's machines, held-back ones first, because users can act on those. Undefined if all are healthy. */
export function nodesHealthyCondition(machines: readonly Machine[]): ConditionState | undefined {
  const marked = machines.flatMap(({ metadata, status }): readonly Marked[] => {
    const mark = status?.marks?.repair;
    return mark ? [{ name: metadata.name ?? '', mark }] : [];
  });
  const waiting = marked.filter(({ mark }) => !mark.due).toSorted(byName);
  const underWay = marked.filter(({ mark }) => mark.due).toSorted(byName);
  const [first] = [...waiting, ...underWay];
  if (first === undefined) return undefined;
  const parts = [
    ...(waiting.length > 0 ? [`${counted(waiting.length, 'node')} waiting for repair`] : []),
    ...(underWay.length > 0 ? [`${counted(underWay.length, 'node')} being repaired`] : []),
  ];
  const { name, mark } = first;
  const message = `${parts.join(', ')}; ${name}: ${mark.message}`;
  return { type: ConditionType.NodesHealthy, status: 'False', reason: mark.reason, message };
}

function byName(a: Marked, b: Marked): number {
  return a.name.localeCompare(b.name);
}
