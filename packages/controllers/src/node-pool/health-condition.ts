import { ConditionType } from '@fairway/api/conditions';
import { pluralize } from '@fairway/api/domain/pluralize';
import type { Machine } from '@fairway/api/kinds/machine';
import type { RepairMark } from '@fairway/api/kinds/machine-marks';
import type { ConditionState } from '@fairway/kube/controller/conditions';

interface MarkedMachine {
  readonly name: string;
  readonly mark: RepairMark;
}

/**
 * Healing's decisions about the pool's machines, those whose repair is on hold first, because users can act on
 * them. Undefined if all machines are healthy.
 */
export function nodesHealthyCondition(machines: readonly Machine[]): ConditionState | undefined {
  const marked = machines.flatMap(({ metadata, status }): readonly MarkedMachine[] => {
    const mark = status?.marks?.repair;
    return mark ? [{ name: metadata.name ?? '', mark }] : [];
  });
  const waiting = marked.filter(({ mark }) => !mark.due).toSorted(byName);
  const startedRepairs = marked.filter(({ mark }) => mark.due).toSorted(byName);
  const [first] = [...waiting, ...startedRepairs];
  if (first === undefined) return undefined;
  const parts = [
    ...(waiting.length > 0 ? [`${pluralize(waiting.length, 'node')} waiting for repair`] : []),
    ...(startedRepairs.length > 0 ? [`${pluralize(startedRepairs.length, 'node')} being repaired`] : []),
  ];
  const { name, mark } = first;
  const message = `${parts.join(', ')}; ${name}: ${mark.message}`;
  return { type: ConditionType.NodesHealthy, status: 'False', reason: mark.reason, message };
}

function byName(a: MarkedMachine, b: MarkedMachine): number {
  return a.name.localeCompare(b.name);
}
