import type {
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfiguration,
  QueuingConfiguration,
} from '@fairway/kube/kinds/generated/types';
import { PriorityLevelConfigurations } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import { jsonEqual } from '@fairway/kube/object/json';
import { CATCH_ALL, EXEMPT, MANDATORY_OBJECTS } from '../../flow-control/standard-objects.ts';
import { defineKind } from '../define-kind.ts';
import { forbidden, invalidValue, required, unsupported } from '../field-errors.ts';
import { AGE, text } from '../printing/column.ts';
import { conditionErrors } from './conditions.ts';

const DEFAULT_SHARES = 30;
const DEFAULT_QUEUING = { queues: 64, handSize: 8, queueLengthLimit: 50 };
const MAX_QUEUES = 10_000_000;
/** Bits of a flow's hash. Each card of the flow's hand consumes some of them. */
const MAX_HASH_BITS = 60;
const ZERO_SHARES_ANNOTATION = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';

/** The rules and messages of kube-apiserver (pkg/apis/flowcontrol/validation). */
function errorsOf({ metadata, spec }: PriorityLevelConfiguration): FieldError[] {
  const name = metadata.name ?? '';
  return [
    ...(metadata.annotations?.[ZERO_SHARES_ANNOTATION] === undefined
      ? []
      : [forbidden('metadata.annotations', `annotation '${ZERO_SHARES_ANNOTATION}' is forbidden`)]),
    ...((name === EXEMPT) === (spec.type === 'Exempt')
      ? []
      : [invalidValue('spec.type', spec.type, "must be 'Exempt' if and only if `name` is 'exempt'")]),
    ...typeErrors(spec),
    ...mandatoryErrors(name, spec),
  ];
}

function typeErrors({ type, exempt, limited }: PriorityLevelConfiguration['spec']): FieldError[] {
  switch (type) {
    case 'Exempt':
      return [
        ...(limited === undefined ? [] : [forbidden('spec.limited', 'must be nil if the type is not Limited')]),
        ...sharesErrors('spec.exempt', exempt ?? {}),
      ];
    case 'Limited':
      return [
        ...(exempt === undefined ? [] : [forbidden('spec.exempt', 'must be nil if the type is Limited')]),
        ...(limited === undefined
          ? [required('spec.limited', 'must not be empty when type is Limited')]
          : limitedErrors(limited)),
      ];
    default:
      return type ? [unsupported('spec.type', type, ['Exempt', 'Limited'])] : [required('spec.type')];
  }
}

interface Shares {
  readonly nominalConcurrencyShares?: number;
  readonly lendablePercent?: number;
}

function sharesErrors(path: string, { nominalConcurrencyShares = 0, lendablePercent = 0 }: Shares): FieldError[] {
  const percent = `${path}.lendablePercent`;
  return [
    ...(nominalConcurrencyShares < 0
      ? [invalidValue(`${path}.nominalConcurrencyShares`, nominalConcurrencyShares, 'must be a non-negative integer')]
      : []),
    ...(lendablePercent < 0 || lendablePercent > 100
      ? [invalidValue(percent, lendablePercent, 'must be between 0 and 100, inclusive')]
      : []),
  ];
}

function limitedErrors(limited: LimitedPriorityLevelConfiguration): FieldError[] {
  const { limitResponse, borrowingLimitPercent = 0 } = limited;
  const field = 'spec.limited.borrowingLimitPercent';
  return [
    ...sharesErrors('spec.limited', limited),
    ...responseErrors(limitResponse),
    ...(borrowingLimitPercent < 0
      ? [invalidValue(field, borrowingLimitPercent, 'if specified, must be a non-negative integer')]
      : []),
  ];
}

const QUEUING_FIELD = 'spec.limited.limitResponse.queuing';

function responseErrors(response: LimitResponse | undefined): FieldError[] {
  const { type = '', queuing } = response ?? {};
  switch (type) {
    case 'Reject':
      if (queuing === undefined) return [];
      return [forbidden(QUEUING_FIELD, 'must be nil if limited.limitResponse.type is not Limited')];
    case 'Queue':
      if (queuing !== undefined) return queuingErrors(queuing);
      return [required(QUEUING_FIELD, 'must not be empty if limited.limitResponse.type is Limited')];
    default: {
      const field = 'spec.limited.limitResponse.type';
      return type === '' ? [required(field)] : [unsupported(field, type, ['Queue', 'Reject'])];
    }
  }
}

function queuingErrors({ queueLengthLimit = 0, queues = 0, handSize = 0 }: QueuingConfiguration): FieldError[] {
  return [
    ...(queueLengthLimit > 0
      ? []
      : [invalidValue(`${QUEUING_FIELD}.queueLengthLimit`, queueLengthLimit, 'must be positive')]),
    ...queuesErrors(queues),
    ...handErrors(queues, handSize),
  ];
}

function queuesErrors(queues: number): FieldError[] {
  const field = `${QUEUING_FIELD}.queues`;
  if (queues <= 0) return [invalidValue(field, queues, 'must be positive')];
  return queues > MAX_QUEUES ? [invalidValue(field, queues, `must not be greater than ${MAX_QUEUES}`)] : [];
}

function handErrors(queues: number, handSize: number): FieldError[] {
  const field = `${QUEUING_FIELD}.handSize`;
  if (handSize <= 0) return [invalidValue(field, handSize, 'must be positive')];
  if (handSize > queues) return [invalidValue(field, handSize, `should not be greater than queues (${queues})`)];
  if (Math.ceil(Math.log2(queues) * handSize) <= MAX_HASH_BITS) return [];
  const detail = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${MAX_HASH_BITS}`;
  return [invalidValue(field, handSize, detail)];
}

/** The shares of the exempt level may be changed. */
function mandatoryErrors(name: string, spec: PriorityLevelConfiguration['spec']): FieldError[] {
  const mandatorySpec = MANDATORY_OBJECTS.priorityLevels.find(({ metadata }) => metadata.name === name)?.spec;
  if (name === CATCH_ALL && !jsonEqual(spec, mandatorySpec)) {
    return [invalidValue('spec', spec, `spec of '${name}' must equal the fixed value`)];
  }
  if (name === EXEMPT && !jsonEqual({ ...spec, exempt: {} }, { ...mandatorySpec, exempt: {} })) {
    const detail = `spec of '${name}' except the 'spec.exempt' field must equal the fixed value`;
    return [invalidValue('spec', spec, detail)];
  }
  return [];
}

function shareOf(value: (spec: PriorityLevelConfiguration['spec']) => number | undefined) {
  return ({ spec }: PriorityLevelConfiguration) => value(spec) ?? '<none>';
}

/**
 * How many requests are served at a time, and how other requests wait; implemented by
 * packages/apiserver/src/flow-control.
 */
export const PriorityLevelConfigurationKind = defineKind(PriorityLevelConfigurations, {
  definition: 'io.k8s.api.flowcontrol.v1.PriorityLevelConfiguration',
  hasStatus: true,
  strategy: {
    statusWritesMetadata: false,
    default({ spec: { exempt, limited } }) {
      if (exempt) {
        exempt.nominalConcurrencyShares ??= 0;
        exempt.lendablePercent ??= 0;
      }
      if (!limited) return;
      limited.nominalConcurrencyShares ??= DEFAULT_SHARES;
      limited.lendablePercent ??= 0;
      const queuing = limited.limitResponse?.queuing;
      if (!queuing) return;
      for (const name of ['queues', 'handSize', 'queueLengthLimit'] as const) queuing[name] ||= DEFAULT_QUEUING[name];
    },
    prepareForCreate(level) {
      level.status = {};
    },
    validate: (level) => errorsOf(level),
    validateStatus: ({ status }) => conditionErrors(status?.conditions),
  },
  columns: [
    text('Type', ({ spec }) => spec.type),
    text(
      'NominalConcurrencyShares',
      shareOf(({ limited }) => limited?.nominalConcurrencyShares),
    ),
    text(
      'Queues',
      shareOf(({ limited }) => limited?.limitResponse?.queuing?.queues),
    ),
    text(
      'HandSize',
      shareOf(({ limited }) => limited?.limitResponse?.queuing?.handSize),
    ),
    text(
      'QueueLengthLimit',
      shareOf(({ limited }) => limited?.limitResponse?.queuing?.queueLengthLimit),
    ),
    AGE,
  ],
});
