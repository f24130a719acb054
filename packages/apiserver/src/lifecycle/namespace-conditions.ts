import type { ConditionState } from '@fairway/kube/controller/conditions';
import type { Remains } from './namespace-content.ts';

type Row = readonly [type: string, ok: string, okMessage: string, bad: string];

/** Types, reasons and messages as upstream's namespace controller words them (pkg/controller/namespace/deletion/status_condition_utils.go). */
const DISCOVERY: Row = [
  'NamespaceDeletionDiscoveryFailure',
  'ResourcesDiscovered',
  'All resources successfully discovered',
  'DiscoveryFailed',
];
const PARSING: Row = [
  'NamespaceDeletionGroupVersionParsingFailure',
  'ParsedGroupVersions',
  'All legacy kube types successfully parsed',
  'GroupVersionParsingFailed',
];
const CONTENT: Row = [
  'NamespaceDeletionContentFailure',
  'ContentDeleted',
  'All content successfully deleted, may be waiting on finalization',
  'ContentDeletionFailed',
];
const REMAINING: Row = [
  'NamespaceContentRemaining',
  'ContentRemoved',
  'All content successfully removed',
  'SomeResourcesRemain',
];
const FINALIZERS: Row = [
  'NamespaceFinalizersRemaining',
  'ContentHasNoFinalizers',
  'All content-preserving finalizers finished',
  'SomeFinalizersRemain',
];

/** Why a namespace is not deleted yet; `unavailable` are group versions whose discovery failed. */
export function namespaceConditions(unavailable: readonly string[], remains: Remains): ConditionState[] {
  const silent = unavailable.map(
    (groupVersion) => `unable to retrieve the complete list of server APIs: ${groupVersion}`,
  );
  const objects = counts(remains.objects, (resource, count) => `${resource} has ${count} resource instances`);
  const finalizers = counts(remains.finalizers, (finalizer, count) => `${finalizer} in ${count} resource instances`);
  return [
    condition(
      DISCOVERY,
      silent.length > 0 ? `Discovery failed for some groups, ${silent.length} failing: ${silent.join(', ')}` : '',
    ),
    condition(PARSING, ''),
    condition(
      CONTENT,
      remains.failures.length > 0
        ? `Failed to delete all resource types, ${remains.failures.length} remaining: ${remains.failures.join(', ')}`
        : '',
    ),
    condition(REMAINING, objects === '' ? '' : `Some resources are remaining: ${objects}`),
    condition(
      FINALIZERS,
      finalizers === '' ? '' : `Some content in the namespace has finalizers remaining: ${finalizers}`,
    ),
  ];
}

function condition([type, ok, okMessage, bad]: Row, problem: string): ConditionState {
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
