import type { LastOperation } from '@fairway/api/kinds/status';
import { humanAge } from '@fairway/apiserver/kinds/printing/age';
import type { Event } from '@fairway/kube/kinds/generated/types';
import type { Condition, KubeObject } from '@fairway/kube/object/meta';
import { dump } from 'js-yaml';
import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { printable } from '../output/printable.ts';
import { alignColumns } from '../output/table.ts';
import { operationText } from '../progress/operation-text.ts';
import { eventRow } from './event-row.ts';
import type { KindName } from './kind-names.ts';
import { KINDS_BY_NAME } from './kinds.ts';
import { EVENT_HEADINGS, timelineOf } from './object-events.ts';

interface DescribedObject extends KubeObject {
  readonly spec?: object;
  readonly status?:
    | {
        readonly conditions?: readonly Condition[] | undefined;
        readonly lastOperation?: LastOperation | undefined;
      }
    | undefined;
}

/** Prints everything about objects: spec, state, current operation and events. */
export async function describeObjects(
  context: CliContext,
  globals: GlobalOptions,
  kindName: KindName,
  names: readonly string[],
): Promise<void> {
  const kind = KINDS_BY_NAME[kindName];
  await withConnection(context, globals, async (connection) => {
    const { client, namespace } = connection;
    const texts = await Promise.all(
      names.map(async (name) => {
        const object = (await client
          .resource(kind)
          .get(name, { namespace, signal: context.signal })) as DescribedObject;
        return describe(object, await timelineOf(connection, kindName, name, context.signal), context.clock.now());
      }),
    );
    context.stdout.write(texts.join('\n\n'));
  });
}

/** In the format of `kubectl describe`. Pure. */
export function describe({ metadata, spec, status }: DescribedObject, events: readonly Event[], nowMs: number): string {
  const { conditions = [], lastOperation, ...rest } = status ?? {};
  const age = (time: string | undefined) => humanAge(time, nowMs);
  const head = alignColumns([
    ['Name:', metadata.name ?? ''],
    ['Namespace:', metadata.namespace ?? ''],
    ['UID:', metadata.uid ?? ''],
    ['Age:', age(metadata.creationTimestamp)],
    ...(metadata.deletionTimestamp === undefined ? [] : [['Deleting:', `since ${age(metadata.deletionTimestamp)}`]]),
    ['Labels:', pairs(metadata.labels)],
    ['Annotations:', pairs(withoutLastApplied(metadata.annotations))],
  ]);
  const rows = conditions.map(({ type, status: is, reason, lastTransitionTime, message }) => {
    // A condition without an observation has no time.
    const since = Date.parse(lastTransitionTime) > 0 ? age(lastTransitionTime) : '';
    return [type, is, reason, since, message.replaceAll('\n', ' ')];
  });
  return [
    head,
    section('Spec', block(spec)),
    section('Status', block(rest)),
    section(
      'Conditions',
      rows.length === 0 ? '' : alignColumns([['TYPE', 'STATUS', 'REASON', 'AGE', 'MESSAGE'], ...rows]),
    ),
    section('Last operation', lastOperation === undefined ? '' : operation(lastOperation, age)),
    section(
      'Events',
      events.length === 0 ? '' : alignColumns([EVENT_HEADINGS, ...events.map((event) => eventRow(event, nowMs))]),
    ),
  ].join('');
}

function operation(last: LastOperation, age: (time: string | undefined) => string): string {
  const { type, state, progress, startTime, lastUpdateTime } = last;
  const since = startTime === undefined ? [] : [['Began:', `${age(startTime)} ago`]];
  return alignColumns([
    ['Type:', type],
    ['State:', `${state}, ${progress} %`],
    ...since,
    ['Changed:', `${age(lastUpdateTime)} ago`],
    ['Description:', operationText(last)],
  ]);
}

function section(title: string, text: string): string {
  if (text === '') return `${title}: none\n`;
  return `${title}:\n${text.replace(/^(?=.)/gm, '  ')}`;
}

function block(value: object | undefined): string {
  if (value === undefined || Object.keys(value).length === 0) return '';
  return printable(dump(value, { lineWidth: -1, noRefs: true }));
}

function pairs(map: Readonly<Record<string, string>> | undefined): string {
  const entries = Object.entries(map ?? {}).map(([key, value]) => `${key}=${value}`);
  return entries.length === 0 ? 'none' : entries.join(', ');
}

/** Omitted as in kubectl: it repeats the whole manifest. */
function withoutLastApplied(all: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const { 'kubectl.kubernetes.io/last-applied-configuration': _, ...annotations } = all;
  return annotations;
}
