import { formatTime } from '@fairway/base/clock';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { FlowSchema, FlowSchemaCondition, PriorityLevelConfiguration } from '@fairway/kube/kinds/generated/types';
import { FlowSchemas, PriorityLevelConfigurations } from '@fairway/kube/kinds/resources';
import { jsonEqual } from '@fairway/kube/object/json';
import type { KubeObject } from '@fairway/kube/object/meta';
import { schemasWithinBounds } from './compile-schemas.ts';
import { EXEMPT, MANDATORY_OBJECTS, SUGGESTED_OBJECTS } from './standard-objects.ts';

/** One write that brings the stored objects closer to what they should be. */
export type UpkeepStep =
  | (KindStep & { readonly action: 'create' | 'update' | 'delete' })
  | { readonly action: 'condition'; readonly type: typeof FlowSchemas; readonly object: FlowSchema };

type KindStep =
  | { readonly type: typeof FlowSchemas; readonly object: FlowSchema }
  | { readonly type: typeof PriorityLevelConfigurations; readonly object: PriorityLevelConfiguration };

type FlowControlObject = FlowSchema | PriorityLevelConfiguration;

export const AUTOUPDATE = 'apf.kubernetes.io/autoupdate-spec';

/**
 * The writes needed for standard objects that are missing, were changed without permission or date from earlier
 * versions, and for the conditions of FlowSchemas. Upstream's rules (pkg/registry/flowcontrol/ensurer,
 * apf_controller.go). Levels are written before the schemas that refer to them.
 */
export function upkeepSteps(reader: ObjectReader, nowMs: number): UpkeepStep[] {
  const levels = reader.list(PriorityLevelConfigurations);
  const schemas = reader.list(FlowSchemas);
  return [
    ...standardSteps(levels, MANDATORY_OBJECTS.priorityLevels, SUGGESTED_OBJECTS.priorityLevels).map(
      (step): UpkeepStep => ({ ...step, type: PriorityLevelConfigurations }),
    ),
    ...standardSteps(schemas, MANDATORY_OBJECTS.flowSchemas, SUGGESTED_OBJECTS.flowSchemas).map(
      (step): UpkeepStep => ({ ...step, type: FlowSchemas }),
    ),
    ...conditionSteps(schemas, new Set(levels.map(({ metadata }) => metadata.name)), nowMs),
  ];
}

interface Step<T> {
  readonly action: 'create' | 'update' | 'delete';
  readonly object: T;
}

function standardSteps<T extends FlowControlObject>(
  stored: readonly T[],
  mandatory: readonly T[],
  suggested: readonly T[],
): Step<T>[] {
  const known = new Map(stored.map((object) => [object.metadata.name, object]));
  const names = new Set([...mandatory, ...suggested].map(({ metadata }) => metadata.name));
  const obsolete = stored.filter((object) => !names.has(object.metadata.name) && autoupdateOf(object) === true);
  return [
    ...mandatory.flatMap((desired) => standardStep(desired, known.get(desired.metadata.name), true)),
    ...suggested.flatMap((desired) => standardStep(desired, known.get(desired.metadata.name), false)),
    ...obsolete.map((object): Step<T> => ({ action: 'delete', object })),
  ];
}

function standardStep<T extends FlowControlObject>(
  desired: T,
  current: T | undefined,
  isMandatory: boolean,
): Step<T>[] {
  if (current === undefined) return [{ action: 'create', object: withAutoupdate(desired, true) }];
  const autoupdate = autoupdateOf(current);
  // Without a user's annotation, unchanged objects follow the Kubernetes version.
  const followsStandard = isMandatory || (autoupdate ?? current.metadata.generation === 1);
  const spec = followsStandard ? specOf(desired, current) : current.spec;
  if (autoupdate === followsStandard && jsonEqual(spec, current.spec)) return [];
  return [{ action: 'update', object: withAutoupdate({ ...current, spec }, followsStandard) }];
}

/** Users may set the shares of the exempt level. */
function specOf(desired: FlowControlObject, current: FlowControlObject): FlowControlObject['spec'] {
  if (desired.metadata.name !== EXEMPT || !('exempt' in current.spec)) return desired.spec;
  return { ...desired.spec, exempt: current.spec.exempt };
}

function withAutoupdate<T extends FlowControlObject>(object: T, followsStandard: boolean): T {
  const { metadata } = object;
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [AUTOUPDATE]: String(followsStandard) } },
  };
}

/** Like Go's `strconv.ParseBool`; undefined for anything else. */
function autoupdateOf({ metadata }: KubeObject): boolean | undefined {
  const value = metadata.annotations?.[AUTOUPDATE] ?? '';
  if (/^(?:1|t|T|TRUE|true|True)$/.test(value)) return true;
  return /^(?:0|f|F|FALSE|false|False)$/.test(value) ? false : undefined;
}

function conditionSteps(
  schemas: readonly FlowSchema[],
  levels: ReadonlySet<string | undefined>,
  nowMs: number,
): UpkeepStep[] {
  const within = schemasWithinBounds(schemas);
  return schemas.flatMap((schema): UpkeepStep[] => {
    const name = schema.metadata.name ?? '';
    const level = schema.spec.priorityLevelConfiguration.name;
    const desired = [danglingCondition(level, levels.has(level)), ...(within.has(name) ? [] : [IGNORED_CONDITION])];
    const former = schema.status?.conditions ?? [];
    const known = desired.map((condition) => former.find((other) => isSameCondition(condition, other)));
    const isResolved = within.has(name) && former.some(({ type }) => type === IGNORED_CONDITION.type);
    if (known.every((condition) => condition !== undefined) && !isResolved) return [];
    const lastTransitionTime = formatTime(nowMs);
    const conditions = desired.map((condition, index) => known[index] ?? { ...condition, lastTransitionTime });
    return [{ action: 'condition', type: FlowSchemas, object: { ...schema, status: { conditions } } }];
  });
}

const IGNORED_CONDITION = {
  type: 'Ignored',
  status: 'True',
  reason: 'TooManyRules',
  message:
    'This API server compares a request with at most 2000 FlowSchemas, subjects, rules and paths, and those before this one already reach the limit',
} satisfies FlowSchemaCondition;

function danglingCondition(level: string, exists: boolean): FlowSchemaCondition {
  const reference = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  return exists
    ? { type: 'Dangling', status: 'False', reason: 'Found', message: `${reference} and it exists` }
    : { type: 'Dangling', status: 'True', reason: 'NotFound', message: `${reference} but there is no such object` };
}

function isSameCondition(a: FlowSchemaCondition, b: FlowSchemaCondition): boolean {
  return a.type === b.type && a.status === b.status && a.reason === b.reason && a.message === b.message;
}
