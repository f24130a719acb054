import { clusters } from '@fairway/api/kinds/cluster';
import type { Plan } from '@fairway/api/kinds/plan';
import type { LimitNote } from '@fairway/api/kinds/plan-limits';
import { limitsOfPlan, serviceOf } from '@fairway/api/limits/catalogue';
import { noteSentences } from '@fairway/api/limits/note-text';
import { plainText } from '@fairway/api/limits/rich-text';
import { CommandError } from '@fairway/service/command-error';
import { type Connection, withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { OutputFormat } from '../command/options.ts';
import { type RowColumn, renderRows } from '../output/rows.ts';
import { readPlans } from '../resources/allowing-plans.ts';
import { htmlPage } from './html.ts';
import { markdownPage } from './markdown.ts';
import { limitsPage, type PageOptions } from './page.ts';

interface LimitsOptions {
  readonly plan?: string;
  readonly brand: string;
  readonly markdown?: boolean;
  readonly html?: boolean;
  readonly output?: OutputFormat;
}

/** A limit of a plan, as the command prints it. */
interface LimitRow {
  /** Path of the limit in the plan's spec. */
  readonly name: string;
  readonly plan: string;
  readonly service: string;
  readonly heading: string;
  readonly sentences: readonly string[];
  readonly supported?: readonly string[];
  readonly unsupported?: readonly string[];
  readonly notes: readonly NoteRow[];
}

interface NoteRow extends Partial<Omit<LimitNote, 'limit'>> {
  /** The note in complete sentences. */
  readonly sentences: readonly string[];
}

/** Prints the limits of plans, or of a cluster's plan, as a table or as the limits page. */
export async function listLimits(
  context: CliContext,
  globals: GlobalOptions,
  cluster: string | undefined,
  options: LimitsOptions,
): Promise<void> {
  if (cluster !== undefined && options.plan !== undefined) {
    throw new CommandError('a cluster and --plan select different limits', { advice: 'remove one of them' });
  }
  await withConnection(context, globals, async (connection) => {
    const { signal, clock, stdout, stderr } = context;
    const planName = cluster === undefined ? options.plan : await planOfCluster(connection, cluster, signal);
    const readable = await readPlans(connection, planName, signal);
    const selected = readable.filter(({ metadata }) => planName === undefined || metadata.name === planName);
    const form = { brand: options.brand, nowMs: clock.now() };
    if (selected.length === 0) stderr.write('There are no plans that you can read.\n');
    else stdout.write(render(selected, form, planName === undefined ? PLAN_COLUMNS : COLUMNS, options));
  });
}

function render(
  selected: readonly Plan[],
  form: PageOptions,
  columns: readonly RowColumn<LimitRow>[],
  { markdown, html, output }: LimitsOptions,
): string {
  if (markdown) return markdownPage(limitsPage(selected, form));
  if (html) return htmlPage(limitsPage(selected, form));
  return renderRows(
    selected.flatMap((plan) => limitRows(plan, form)),
    columns,
    output,
  );
}

async function planOfCluster(
  { client, namespace }: Pick<Connection, 'client' | 'namespace'>,
  name: string,
  signal: AbortSignal,
): Promise<string> {
  return (await client.resource(clusters).get(name, { namespace, signal })).spec.plan;
}

/** The limits of a plan in the order of the limits page. Pure. */
export function limitRows(plan: Plan, options: PageOptions): readonly LimitRow[] {
  const { name = '' } = plan.metadata;
  return limitsOfPlan(plan, options).map(({ limit, heading, statement, notes }): LimitRow => {
    const { sentences, supported, unsupported } = statement;
    return {
      name: limit,
      plan: name,
      service: serviceOf(plan),
      heading,
      sentences: sentences.map(plainText),
      ...(supported && { supported }),
      ...(unsupported && { unsupported }),
      notes: notes.map(({ limit: _, value, ...note }) => ({
        ...(value !== '' && { value }),
        ...note,
        sentences: noteSentences({ limit: _, value, ...note }, plan.spec, options.nowMs).map(plainText),
      })),
    };
  });
}

function notesText({ notes }: LimitRow): string {
  return notes
    .filter(({ sentences }) => sentences.length > 0)
    .map(({ value, sentences }) => `${value === undefined ? '' : `${value}: `}${sentences.join(' ')}`)
    .join(' ');
}

const COLUMNS: readonly RowColumn<LimitRow>[] = [
  ['LIMIT', ({ name }) => name],
  ['SUPPORTED', ({ supported }) => (supported?.length === 0 ? 'none' : (supported?.join(', ') ?? ''))],
  ['NOT SUPPORTED', ({ unsupported = [] }) => unsupported.join(', ')],
  ['NOTES', notesText],
  ['MEANING', ({ sentences }) => sentences.join(' '), 'wide'],
];

const PLAN_COLUMNS: readonly RowColumn<LimitRow>[] = [['PLAN', ({ plan }) => plan], ...COLUMNS];
