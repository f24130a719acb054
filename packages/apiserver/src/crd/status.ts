import { formatTime } from '@fairway/base/clock';
import { jsonEqual } from '@fairway/kube/object/json';
import type { CrdCondition, CrdNames, CrdStatus, CustomResourceDefinition } from './types.ts';

/**
 * The status of a CustomResourceDefinition, given the other definitions in its group: which of its names are accepted,
 * whether it is established (all names are accepted, so it is served), and in which versions its objects may be
 * stored. A name that is already accepted for another definition is not available. Returns the current status itself
 * if nothing changes.
 */
export function crdStatus(
  crd: CustomResourceDefinition,
  others: Iterable<CustomResourceDefinition>,
  nowMs: number,
): CrdStatus {
  const taken = takenNames(crd, others);
  const accepted = crd.status?.acceptedNames;
  const { names, conflict } = acceptNames(crd.spec.names, accepted, taken);
  const previousConditions = crd.status?.conditions ?? [];
  const wasEstablished = previousConditions.some(({ type, status }) => type === 'Established' && status === 'True');
  const namesAccepted: CrdCondition =
    conflict === undefined
      ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { type: 'NamesAccepted', status: 'False', ...conflict };
  const established: CrdCondition =
    wasEstablished || conflict === undefined
      ? {
          type: 'Established',
          status: 'True',
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        }
      : { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
  const status: CrdStatus = {
    acceptedNames: names,
    conditions: [namesAccepted, established].map((condition) =>
      withTransitionTime(condition, previousConditions, nowMs),
    ),
    storedVersions: storedVersions(crd),
  };
  for (const condition of previousConditions) {
    if (condition.type !== 'NamesAccepted' && condition.type !== 'Established') status.conditions.push(condition);
  }
  return crd.status !== undefined && jsonEqual(crd.status, status) ? crd.status : status;
}

export function isEstablished(crd: CustomResourceDefinition): boolean {
  return crd.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false;
}

interface TakenNames {
  /** Plural, singular and short names. */
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

function takenNames(crd: CustomResourceDefinition, others: Iterable<CustomResourceDefinition>): TakenNames {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const other of others) {
    if (other.spec.group !== crd.spec.group || other.metadata.name === crd.metadata.name) continue;
    const names = other.status?.acceptedNames;
    if (names === undefined) continue;
    for (const name of [names.plural, names.singular ?? '', ...(names.shortNames ?? [])]) resources.add(name);
    for (const name of [names.kind, names.listKind ?? '']) kinds.add(name);
  }
  resources.delete('');
  kinds.delete('');
  return { resources, kinds };
}

interface Conflict {
  readonly reason: string;
  readonly message: string;
}

function acceptNames(
  requestedNames: CrdNames,
  accepted: CrdNames | undefined,
  { resources, kinds }: TakenNames,
): { names: CrdNames; conflict: Conflict | undefined } {
  const names: CrdNames = { ...accepted, plural: accepted?.plural ?? '', kind: accepted?.kind ?? '' };
  let conflict: Conflict | undefined;
  const accept = (field: 'plural' | 'singular' | 'kind' | 'listKind', taken: ReadonlySet<string>, reason: string) => {
    const name = requestedNames[field];
    if (name === undefined) return;
    if (name !== accepted?.[field] && taken.has(name)) conflict = { reason, message: inUseMessage(name) };
    else names[field] = name;
  };
  accept('plural', resources, 'PluralConflict');
  accept('singular', resources, 'SingularConflict');
  const clashing = (requestedNames.shortNames ?? []).filter(
    (name) => !accepted?.shortNames?.includes(name) && resources.has(name),
  );
  if (clashing.length > 0) {
    const message = clashing.map(inUseMessage).join(', ');
    conflict = { reason: 'ShortNamesConflict', message: clashing.length > 1 ? `[${message}]` : message };
  } else if (requestedNames.shortNames !== undefined) names.shortNames = requestedNames.shortNames;
  else delete names.shortNames;
  accept('kind', kinds, 'KindConflict');
  accept('listKind', kinds, 'ListKindConflict');
  if (requestedNames.categories === undefined) delete names.categories;
  else names.categories = requestedNames.categories;
  return { names, conflict };
}

function inUseMessage(name: string): string {
  return `${JSON.stringify(name)} is already in use`;
}

/** The condition with its lastTransitionTime. */
function withTransitionTime(
  condition: CrdCondition,
  previousConditions: readonly CrdCondition[],
  nowMs: number,
): CrdCondition {
  const previous = previousConditions.find(({ type }) => type === condition.type);
  const since = previous?.status === condition.status ? previous.lastTransitionTime : undefined;
  return { ...condition, lastTransitionTime: since ?? formatTime(nowMs) };
}

/** The versions that objects may have been stored in: previous storage versions and the current one. */
export function storedVersions({ spec, status }: CustomResourceDefinition): string[] {
  const known = status?.storedVersions ?? [];
  const storage = spec.versions.find((version) => version.storage)?.name;
  return storage === undefined || known.includes(storage) ? known : [...known, storage];
}
