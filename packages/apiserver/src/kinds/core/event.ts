import type { Event, EventSource, EventsV1Event, ObjectReference } from '@fairway/kube/kinds/generated/types';
import { Events, EventsV1Events } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import type { KubeObject } from '@fairway/kube/object/meta';
import { defineKind, type KindColumn } from '../define-kind.ts';
import { invalidValue, required } from '../field-errors.ts';
import { humanAge } from '../printing/age.ts';
import { text, wide } from '../printing/column.ts';

/** Events of cluster-scoped objects live in `default`. */
function validateEvent(event: Event): FieldError[] {
  const { metadata, involvedObject } = event;
  const errors: FieldError[] = [];
  if (
    involvedObject.namespace
      ? involvedObject.namespace !== metadata.namespace
      : !isClusterEventNamespace(metadata.namespace)
  ) {
    errors.push(
      invalidValue('involvedObject.namespace', involvedObject.namespace ?? '', 'does not match event.namespace'),
    );
  }
  if (event.eventTime === undefined) return errors;
  if (!event.reportingComponent) errors.push(required('reportingController'));
  if (!event.reportingInstance) errors.push(required('reportingInstance'));
  if (!event.action) errors.push(required('action'));
  if (!event.reason) errors.push(required('reason'));
  return errors;
}

function isClusterEventNamespace(namespace: string | undefined): boolean {
  return namespace === 'default' || namespace === 'kube-system';
}

function lastSeen(event: Event): string | undefined {
  return event.series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? event.firstTimestamp;
}

function firstSeen(event: Event): string | undefined {
  return event.firstTimestamp ?? event.eventTime;
}

function objectName({ kind = '', name = '' }: ObjectReference): string {
  return name === '' ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`;
}

function sourceName({ source, reportingComponent, reportingInstance }: Event): string {
  const { component = reportingComponent, host = reportingInstance }: EventSource = source ?? {};
  return [component, host].filter((part) => part).join(', ');
}

function columns<T extends KubeObject>(eventOf: (object: T) => Event): KindColumn<T>[] {
  return [
    text('Last Seen', (object, nowMs) => humanAge(lastSeen(eventOf(object)), nowMs)),
    text('Type', '.type'),
    text('Reason', '.reason'),
    text('Object', (object) => objectName(eventOf(object).involvedObject)),
    wide(text('Subobject', (object) => eventOf(object).involvedObject.fieldPath ?? '')),
    wide(text('Source', (object) => sourceName(eventOf(object)))),
    text('Message', (object) => eventOf(object).message?.trim() ?? ''),
    wide(text('First Seen', (object, nowMs) => humanAge(firstSeen(eventOf(object)), nowMs))),
    wide(text('Count', (object) => countOf(eventOf(object)))),
    wide(text('Name', '.metadata.name')),
  ];
}

function countOf({ count, series }: Event): number {
  return series?.count ?? (count || 1);
}

export const EventKind = defineKind(Events, {
  definition: 'io.k8s.api.core.v1.Event',
  shortNames: ['ev'],
  hasGeneration: false,
  strategy: {
    default(event) {
      event.involvedObject ??= {};
      event.source ??= {};
      event.reportingComponent ??= '';
      event.reportingInstance ??= '';
    },
    validate: (event) => validateEvent(event),
  },
  selectableFields: {
    'involvedObject.kind': '.involvedObject.kind',
    'involvedObject.namespace': '.involvedObject.namespace',
    'involvedObject.name': '.involvedObject.name',
    'involvedObject.uid': '.involvedObject.uid',
    'involvedObject.apiVersion': '.involvedObject.apiVersion',
    'involvedObject.resourceVersion': '.involvedObject.resourceVersion',
    'involvedObject.fieldPath': '.involvedObject.fieldPath',
    reason: '.reason',
    reportingComponent: '.reportingComponent',
    source: ['.source.component', '.reportingComponent'],
    type: '.type',
  },
  columns: columns<Event>((event) => event),
});

/** The fields that differ between the two versions of an event, new name → old name. */
const RENAMED_FIELDS = {
  note: 'message',
  regarding: 'involvedObject',
  reportingController: 'reportingComponent',
  deprecatedCount: 'count',
  deprecatedFirstTimestamp: 'firstTimestamp',
  deprecatedLastTimestamp: 'lastTimestamp',
  deprecatedSource: 'source',
} as const;

function rename(object: object, names: readonly (readonly [string, string])[], apiVersion: string): object {
  const renamed = new Map(names);
  const entries = Object.entries(object).map(([name, value]): [string, unknown] => [renamed.get(name) ?? name, value]);
  return { ...Object.fromEntries(entries), apiVersion, kind: 'Event' };
}

export function toCoreEvent(event: EventsV1Event): Event {
  return rename(event, Object.entries(RENAMED_FIELDS), 'v1') as Event;
}

export function fromCoreEvent(event: Event): EventsV1Event {
  const names = Object.entries(RENAMED_FIELDS).map(([now, previous]) => [previous, now] as const);
  return rename(event, names, 'events.k8s.io/v1') as EventsV1Event;
}

export const EventsV1EventKind = defineKind(EventsV1Events, {
  definition: 'io.k8s.api.events.v1.Event',
  shortNames: ['ev'],
  hasGeneration: false,
  strategy: {
    default(event) {
      event.deprecatedSource ??= {};
    },
    validate: (event) => validateEvent({ ...toCoreEvent(event), involvedObject: event.regarding ?? {} }),
  },
  selectableFields: {
    reason: '.reason',
    'regarding.kind': '.regarding.kind',
    'regarding.namespace': '.regarding.namespace',
    'regarding.name': '.regarding.name',
    'regarding.uid': '.regarding.uid',
    reportingController: '.reportingController',
    type: '.type',
  },
  columns: columns<EventsV1Event>(toCoreEvent),
  storedAs: {
    group: Events.group,
    plural: Events.plural,
    toStored: (event) => toCoreEvent(event as EventsV1Event),
    fromStored: (event) => fromCoreEvent(event as Event),
  },
});
