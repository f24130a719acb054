import { type ActionRequiredBy, actionRequiredBy } from '@fairway/api/conditions';
import type { Cause } from './cause.ts';
import { WAITS } from './waits.ts';

const ACTION_SECTIONS: readonly { readonly turn: ActionRequiredBy; readonly heading: string; readonly text: string }[] =
  [
    { turn: 'user', heading: 'The tenant', text: 'Nothing continues until the owner of the cluster acts.' },
    {
      turn: 'operator',
      heading: 'The operator',
      text: 'Nothing continues until the operator of Fairway or of the cloud acts.',
    },
    {
      turn: 'cloud',
      heading: 'The cloud',
      text: 'Fairway retries automatically; meanwhile, someone should check the cloud.',
    },
    {
      turn: 'fairway',
      heading: 'Fairway',
      text: 'Fairway is working, or waiting for something that happens automatically.',
    },
  ];

/** docs/operators/causes.md. */
export function renderCauses(causes: readonly Cause[]): string {
  const sections = ACTION_SECTIONS.flatMap(({ turn, heading, text }) => {
    const rows = causes.filter(({ reason }) => actionRequiredBy(reason) === turn);
    if (rows.length === 0) return [];
    const table = ['| cause | where | phase | reason | message |', '|---|---|---|---|---|', ...rows.map(renderRow)];
    return [`## ${heading}\n\n${text}\n\n${table.join('\n')}\n`];
  });
  return `${INTRODUCTION}\n${sections.join('\n')}\n${renderWaits(causes)}`;
}

const ACTORS: Readonly<Record<ActionRequiredBy, string>> = {
  user: 'the tenant',
  operator: 'the operator',
  cloud: 'the cloud',
  fairway: 'Fairway',
};

/** Each wait during a deletion or a start, from the rows of its cause. */
function renderWaits(causes: readonly Cause[]): string {
  const tables = (['deletion', 'start'] as const).map((of) => {
    const rows = WAITS.filter((wait) => wait.of === of).map(({ object, heldBy, cause }) => {
      const { reason, kind, event } = causes.find((each) => each.cause === cause) as Cause;
      const reported = event ? `\`${event.reason}\` on the ${event.kind}` : `\`${reason}\` on the ${kind}`;
      return `| ${object} | ${heldBy} | ${ACTORS[actionRequiredBy(reason)]} | \`${reason}\` | ${reported} |`;
    });
    const heading = of === 'deletion' ? 'What deletions wait for' : 'What starts wait for';
    return `## ${heading}\n\n| object | what blocks it | who must act | reason | Event |\n|---|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `${tables.join('\n')}\n${WAITS_TEXT}`;
}

const WAITS_TEXT = `The object reports the wait; its pool and its Cluster repeat it with the names of the first few objects and the number of others. \`status.lastOperation.since\` and the message show since when. A Warning Event is written once per cause. Deletions retry with backoff up to five minutes; \`fairway.dev/retry-requested\` retries at once.
`;

function renderRow({ cause, kind, phase, condition = 'Ready', reason, message, event }: Cause): string {
  const description = event
    ? `${message}<br>Event \`${event.reason}\` on the ${event.kind}: ${event.message}`
    : message;
  const where = condition === 'Ready' ? kind : `${kind}, ${condition}`;
  return `| ${cause} | ${where} | ${phase ?? ''} | \`${reason}\` | ${description.replaceAll('|', '\\|')} |`;
}

const INTRODUCTION = `# Conditions, and who must act

Every condition that is not met has a reason, which says who must act, and a message, which says what to do. The message stays the same while its cause lasts; if a person must act, it ends with since when.

\`\`\`
kubectl get clusters,nodepools,machines -A                  # the last column is the message
kubectl describe machine demo-general-x7k2p                 # all conditions, and Events
kubectl get cluster demo -o jsonpath='{.status.conditions[?(@.type=="CloudReachable")]}'
\`\`\`

| phase | meaning |
|---|---|
| Scaling, Updating | what was requested is not there yet, whoever must act |
| Degraded | something that worked is broken, or a deadline has passed |
| Failed | it never became ready, and a person must act |

A cloud that is down leaves healthy clusters Ready; the condition \`CloudReachable\` reports it separately. In messages \`{host}\`, \`{machine}\`, \`{time}\`, \`{url}\`, \`{versions}\` and \`{id}\` represent varying text. This page is generated from a tested table (\`npm run generate:causes\`).
`;
