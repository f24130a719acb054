import type { ConditionState } from '@fairway/kube/controller/conditions';
import type { RemainingContent } from './namespace-content.ts';

type ConditionTexts = readonly [type: string, ok: string, okMessage: string, bad: string];

/** Types, reasons and messages as upstream's namespace controller words them (pkg/controller/namespace/deletion/status_condition_utils.go). */
const DISCOVERY_CONDITION: ConditionTexts = [
  'NamespaceDeletionDiscoveryFailure',
  'ResourcesDiscovered',
  'All resources successfully discovered',
  'DiscoveryFailed',
];
const PARSING_CONDITION: ConditionTexts = [
  'NamespaceDeletionGroupVersionParsingFailure',
  'ParsedGroupVersions',
  'All legacy kube types successfully parsed',
  'GroupVersionParsingFailed',
];
const CONTENT_CONDITION: ConditionTexts = [
  'NamespaceDeletionContentFailure',
  'ContentDeleted',
  'All content successfully deleted, may be waiting on finalization',
  'ContentDeletionFailed',
];
const REMAINING_CONDITION: ConditionTexts = [
  'NamespaceContentRemaining',
  'ContentRemoved',
  'All content successfully removed',
  'SomeResourcesRemain',
];
const FINALIZERS_CONDITION: ConditionTexts = [
  'NamespaceFinalizersRemaining',
  'ContentHasNoFinalizers',
  'All content-preserving finalizers finished',
  'SomeFinalizersRemain',
];

/** Why a namespace has not been deleted yet; `unavailable` lists the group versions whose discovery failed. */
export function namespaceConditions(unavailable: readonly string[], remaining: RemainingContent): ConditionState[] {
  const silent = unavailable.map(
    (groupVersion) => `unable to retrieve the complete list of server APIs: ${groupVersion}`,
  );
  const objects = counts(remaining.objects, (resource, count) => `${resource} has ${count} resource instances`);
  const finalizers = counts(remaining.finalizers, (finalizer, count) => `${finalizer} in ${count} resource instances`);
  return [
    condition(
      DISCOVERY_CONDITION,
      silent.length > 0 ? `Discovery failed for some groups, ${silent.length} failing: ${silent.join(', ')}` : '',
    ),
    condition(PARSING_CONDITION, ''),
    condition(
      CONTENT_CONDITION,
      remaining.failures.length > 0
        ? `Failed to delete all resource types, ${remaining.failures.length} remaining: ${remaining.failures.join(', ')}`
        : '',
    ),
    condition(REMAINING_CONDITION, objects === '' ? '' : `Some resources are remaining: ${objects}`),
    condition(
      FINALIZERS_CONDITION,
      finalizers === '' ? '' : `Some content in the namespace has finalizers remaining: ${finalizers}`,
    ),
  ];
}

function condition([type, ok, okMessage, bad]: ConditionTexts, problem: string): ConditionState {
  return problem === ''
    ? { type, status: 'False', reason: ok, message: okMessage }
    : { type, status: 'True', reason: bad, message: problem };
}

function counts(byName: ReadonlyMap<string, number>, word: (name: string, count: number) => string): string {
  return [...byName]
    .map(([name, count]) => word(name, count))
    .sort((a, b) => a.localeCompare(b))
    .join(', ');
}
