import { type FieldError, type FieldErrorType, invalid } from '@fairway/kube/object/field-error';
import type { ResourceRequest } from './request.ts';

/** The options of a request. */
export type OptionsRequest = Pick<ResourceRequest, 'verb' | 'query' | 'headers'>;

const MAX_MANAGER_BYTES = 128;

/**
 * Throws 422 for query parameters that contradict each other or have no meaning, like apimachinery's Validate…Options.
 * For deletions, the options are in the body, if there is one.
 */
export function checkOptions({ verb, query, headers }: OptionsRequest): void {
  const isApply = verb === 'patch' && (headers['content-type'] ?? '').startsWith('application/apply-patch');
  if (query.size === 0 && !isApply) return;
  switch (verb) {
    case 'create':
      return refuseOptions('CreateOptions', writeErrors(query));
    case 'update':
      return refuseOptions('UpdateOptions', writeErrors(query));
    case 'patch':
      return refuseOptions('PatchOptions', [...patchErrors(query, isApply), ...writeErrors(query)]);
    case 'list':
      return refuseOptions('ListOptions', listErrors(query));
    case 'watch':
      return refuseOptions('ListOptions', watchErrors(query));
    default:
      return undefined;
  }
}

export function refuseOptions(kind: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, '', errors);
}

/** `dryRun` has only one valid value. */
export function dryRunErrors(values: readonly string[]): FieldError[] {
  if (values.every((value) => value === 'All')) return [];
  return [unsupported('dryRun', values, ['All'])];
}

function writeErrors(query: URLSearchParams): FieldError[] {
  const validation = query.get('fieldValidation') ?? '';
  const levels = ['', 'Ignore', 'Strict', 'Warn'];
  return [
    ...managerErrors(query.get('fieldManager') ?? ''),
    ...dryRunErrors(query.getAll('dryRun')),
    ...(levels.includes(validation) ? [] : [unsupported('fieldValidation', validation, levels)]),
  ];
}

function managerErrors(manager: string): FieldError[] {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(manager) > MAX_MANAGER_BYTES) {
    errors.push({
      type: 'FieldValueTooLong',
      field: 'fieldManager',
      detail: `may not be more than ${MAX_MANAGER_BYTES} bytes`,
    });
  }
  if (/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(manager)) {
    errors.push({
      type: 'FieldValueInvalid',
      field: 'fieldManager',
      value: manager,
      detail: 'should only contain printable characters',
    });
  }
  return errors;
}

function patchErrors(query: URLSearchParams, isApply: boolean): FieldError[] {
  if (isApply) {
    const isNamed = (query.get('fieldManager') ?? '') !== '';
    return isNamed ? [] : [plain('FieldValueRequired', 'fieldManager', 'is required for apply patch')];
  }
  return query.has('force') ? [plain('FieldValueForbidden', 'force', 'may not be specified for non-apply patch')] : [];
}

const MATCH_PARAMETER = 'resourceVersionMatch';

function listErrors(query: URLSearchParams): FieldError[] {
  const errors: FieldError[] = [];
  const match = query.get(MATCH_PARAMETER) ?? '';
  const revision = query.get('resourceVersion') ?? '';
  if (match !== '') {
    if (revision === '') {
      errors.push(
        plain(
          'FieldValueForbidden',
          MATCH_PARAMETER,
          `${MATCH_PARAMETER} is forbidden unless resourceVersion is provided`,
        ),
      );
    }
    if (query.get('continue'))
      errors.push(plain('FieldValueForbidden', MATCH_PARAMETER, `${MATCH_PARAMETER} is forbidden for continue`));
    const known = ['Exact', 'NotOlderThan', ''];
    if (!known.includes(match)) errors.push(unsupported(MATCH_PARAMETER, match, known));
    if (match === 'Exact' && revision === '0') {
      errors.push(
        plain(
          'FieldValueForbidden',
          MATCH_PARAMETER,
          `${MATCH_PARAMETER} "exact" is forbidden for resourceVersion "0"`,
        ),
      );
    }
  }
  if (query.has('sendInitialEvents')) {
    errors.push(plain('FieldValueForbidden', 'sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  return errors;
}

function watchErrors(query: URLSearchParams): FieldError[] {
  const errors: FieldError[] = [];
  const match = query.get(MATCH_PARAMETER) ?? '';
  const sendsInitialEvents = query.has('sendInitialEvents');
  if (sendsInitialEvents && match !== 'NotOlderThan') {
    errors.push(
      plain(
        'FieldValueForbidden',
        MATCH_PARAMETER,
        `sendInitialEvents requires setting ${MATCH_PARAMETER} to NotOlderThan`,
      ),
    );
  } else if (!sendsInitialEvents && match !== '') {
    const detail = `${MATCH_PARAMETER} is forbidden for watch unless sendInitialEvents is provided`;
    errors.push(plain('FieldValueForbidden', MATCH_PARAMETER, detail));
  }
  if (match === '') return errors;
  if (match !== 'NotOlderThan') errors.push(unsupported(MATCH_PARAMETER, match, ['NotOlderThan']));
  if (query.get('continue'))
    errors.push(plain('FieldValueForbidden', MATCH_PARAMETER, `${MATCH_PARAMETER} is forbidden for continue`));
  return errors;
}

function plain(type: FieldErrorType, field: string, detail: string): FieldError {
  return { type, field, detail };
}

/** Upstream's field.NotSupported. */
export function unsupported(field: string, value: unknown, known: readonly string[]): FieldError {
  const detail = `supported values: ${known.map((text) => JSON.stringify(text)).join(', ')}`;
  return { type: 'FieldValueNotSupported', field, value, detail };
}
