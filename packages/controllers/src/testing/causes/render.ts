import { type Turn, turnOf } from '@fairway/api/conditions';
import type { Cause } from './cause.ts';

const TURNS: readonly { readonly turn: Turn; readonly heading: string; readonly text: string }[] = [
  { turn: 'user', heading: 'The tenant', text: 'Nothing goes on until whoever owns the cluster does something.' },
  {
    turn: 'operator',
    heading: 'The operator',
    text: 'Nothing goes on until the operator of Fairway or of the cloud does something.',
  },
  {
    turn: 'cloud',
    heading: 'The cloud',
    text: 'Fairway tries again by itself; somebody may look at the cloud meanwhile.',
  },
  { turn: 'fairway', heading: 'Fairway', text: 'Fairway is at work, or waits for what comes by itself.' },
];

/** docs/operators/causes.md. */
export function renderCauses(causes: readonly Cause[]): string {
  const sections = TURNS.flatMap(({ turn, heading, text }) => {
    const rows = causes.filter(({ reason }) => turnOf(reason) === turn);
    if (rows.length === 0) return [];
    const table = [
      '| what is the matter | where | phase | reason | message |',
      '|---|---|---|---|---|',
      ...rows.map(renderRow),
    ];
    return [`## ${heading}\n\n${text}\n\n${table.join('\n')}\n`];
  });
  return `${INTRODUCTION}\n${sections.join('\n')}`;
}

function renderRow({ cause, kind, phase, condition = 'Ready', reason, message, event }: Cause): string {
  const said = event ? `${message}<br>Event \`${event.reason}\` on the ${event.kind}: ${event.message}` : message;
  const where = condition === 'Ready' ? kind : `${kind}, ${condition}`;
  return `| ${cause} | ${where} | ${phase ?? ''} | \`${reason}\` | ${said.replaceAll('|', '\\|')} |`;
}

const INTRODUCTION = `# What is told, and whose turn it is

Each condition that is not met has a reason, which says whose turn it is, and a message, which says what to do. The message does not change while its cause lasts; since when it does, the
condition's \`lastTransitionTime\` says. A table that is tested (\`npm run generate:causes\` writes this page from it) says of each cause where it is told, and how. \`{host}\`, \`{machine}\`, \`{time}\`,
\`{url}\`, \`{versions}\` and \`{id}\` stand for what differs.

Degraded means that something that was right is wrong, or that a deadline has passed. What was asked for and is not there yet is Scaling or Updating, whoever has to act for it; Failed is what never was
ready and waits for a person. A cloud that is away leaves healthy clusters Ready: the condition \`CloudReachable\` stands beside it.

\`\`\`
kubectl get clusters,nodepools,machines -A                  # the last column is the message
kubectl describe machine demo-general-x7k2p                 # all conditions, and Events
kubectl get cluster demo -o jsonpath='{.status.conditions[?(@.type=="CloudReachable")]}'
\`\`\`
`;
