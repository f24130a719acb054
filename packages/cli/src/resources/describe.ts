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
import { EVENT_HEADINGS, storyOf } from './object-events.ts';

interface Described extends KubeObject {
  readonly spec?: object;
  readonly status?:
    | {
        readonly conditions?: readonly Condition[] | undefined;
        readonly lastOperation?: LastOperation | undefined;
      }
    | undefined;
}

/** Prints all that a person asks about objects: spec, state, what is being done, and what happened. */
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
        const object = (await client.resource(kind).get(name, { namespace, signal: context.signal })) as Described;
        return describe(object, await storyOf(connection, kindName, name, context.signal), context.clock.now());
      }),
    );
    context.stdout.write(texts.join('\n\n'));
  });
}

/** As `kubectl describe` has it. Pure. */
export function describe({ metadata, spec, status }: Described, events: readonly Event[], nowMs: number): string {
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
  const told = conditions.map(({ type, status: is, reason, lastTransitionTime, message }) => {
    // Before anybody has looked, its time is none.
    const since = Date.parse(lastTransitionTime) > 0 ? age(lastTransitionTime) : '';
    return [type, is, reason, since, message.replaceAll('\n', ' ')];
  });
  return [
    head,
    section('Spec', block(spec)),
    section('Status', block(rest)),
    section(
      'Conditions',
      told.length === 0 ? '' : alignColumns([['TYPE', 'STATUS', 'REASON', 'AGE', 'MESSAGE'], ...told]),
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

/** As kubectl does: it is the whole manifest once more. */
function withoutLastApplied(all: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const { 'kubectl.kubernetes.io/last-applied-configuration': _, ...annotations } = all;
  return annotations;
}
