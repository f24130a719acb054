export interface QueryParameter {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
}

const DRY_RUN: QueryParameter = {
  name: 'dryRun',
  type: 'string',
  description: 'With All, the request is processed in full and nothing is stored.',
};
const FIELD_MANAGER: QueryParameter = {
  name: 'fieldManager',
  type: 'string',
  description: 'Name of the actor that makes the change; required for apply.',
};
const FIELD_VALIDATION: QueryParameter = {
  name: 'fieldValidation',
  type: 'string',
  description: 'What to do with unknown and duplicate fields: Ignore, Warn or Strict.',
};
export const FORCE_PARAMETER: QueryParameter = {
  name: 'force',
  type: 'boolean',
  description: 'Takes over conflicting fields from their managers; only for apply.',
};
export const WRITE_PARAMETERS = [DRY_RUN, FIELD_MANAGER, FIELD_VALIDATION];
export const LIST_PARAMETERS: readonly QueryParameter[] = [
  { name: 'allowWatchBookmarks', type: 'boolean', description: 'Requests BOOKMARK events in a watch.' },
  { name: 'continue', type: 'string', description: 'Token of the page to continue with.' },
  { name: 'fieldSelector', type: 'string', description: 'Restricts the list by fields.' },
  { name: 'labelSelector', type: 'string', description: 'Restricts the list by labels.' },
  { name: 'limit', type: 'integer', description: 'Maximum number of objects in one response.' },
  { name: 'resourceVersion', type: 'string', description: 'How new the answer must be.' },
  { name: 'resourceVersionMatch', type: 'string', description: 'How resourceVersion applies to a list.' },
  { name: 'sendInitialEvents', type: 'boolean', description: 'Starts a watch with all existing objects.' },
  { name: 'timeoutSeconds', type: 'integer', description: 'Maximum duration of the call.' },
  { name: 'watch', type: 'boolean', description: 'Watches for changes instead of listing.' },
];
export const DELETE_PARAMETERS: readonly QueryParameter[] = [
  DRY_RUN,
  { name: 'gracePeriodSeconds', type: 'integer', description: 'Seconds before the object is removed.' },
  { name: 'orphanDependents', type: 'boolean', description: 'Deprecated: use propagationPolicy.' },
  { name: 'propagationPolicy', type: 'string', description: 'Background, Foreground or Orphan.' },
];
