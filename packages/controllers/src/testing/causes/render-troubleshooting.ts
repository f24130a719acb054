import { type ActionRequiredBy, actionRequiredBy } from '@fairway/api/conditions';
import type { Cause } from './cause.ts';

const ACTORS: Readonly<Record<ActionRequiredBy, { readonly name: string; readonly anchor: string }>> = {
  user: { name: 'the tenant', anchor: 'the-tenant' },
  operator: { name: 'the operator', anchor: 'the-operator' },
  cloud: { name: 'the cloud', anchor: 'the-cloud' },
  fairway: { name: 'Fairway', anchor: 'fairway' },
};

/** docs/troubleshooting.md: from symptoms to reasons, and from there to docs/operators/causes.md. */
export function renderTroubleshooting(causes: readonly Cause[]): string {
  const visible = causes.filter(({ reason }) => reason !== 'AsExpected');
  const sections = [...Map.groupBy(visible, ({ kind }) => kind)].map(([kind, causesOfKind]) => {
    const rows = [...Map.groupBy(causesOfKind, symptomOf)].map(
      ([symptom, those]) => `| ${symptom} | ${reasonsOf(those)} |`,
    );
    return `## ${kind}\n\n| what you see | reasons, by who must act |\n|---|---|\n${rows.join('\n')}\n`;
  });
  return `${INTRODUCTION}\n${sections.join('\n')}`;
}

function symptomOf({ phase, condition = 'Ready' }: Cause): string {
  if (condition !== 'Ready') return `condition \`${condition}\``;
  return phase === undefined ? 'not Ready' : `phase \`${phase}\``;
}

function reasonsOf(causes: readonly Cause[]): string {
  const causesByActor = Map.groupBy(causes, ({ reason }) => actionRequiredBy(reason));
  const parts = [...causesByActor].map(([who, those]) => {
    const reasons = [...new Set(those.map(({ reason }) => `\`${reason}\``))].sort();
    return `[${ACTORS[who].name}](operators/causes.md#${ACTORS[who].anchor}): ${reasons.join(', ')}`;
  });
  return parts.join('<br>');
}

const INTRODUCTION = `# Troubleshooting

\`\`\`
kubectl get clusters,nodepools,machines             # the last column says what an object is waiting for
kubectl describe cluster demo                       # all conditions, and Events
fairway cluster events demo
\`\`\`

The message ends with what to do. The reason before it says who must act: find it below, then follow the link to its causes and messages. \`npm run generate:causes\` writes this page.

| problem | look at |
|---|---|
| a request is refused | the answer: it names the field, the value and what is allowed |
| no answer, 401 or 403 from Fairway's API | [sign in](tenants/signing-in.md), [roles](operators/install.md#how-tenants-sign-in) |
| a Service has no address | \`kubectl describe service\`, condition \`fairway.dev/LoadBalancerReady\`: [load balancers](tenants/load-balancers.md) |
| a claim stays Pending | \`kubectl describe pvc\`: [volumes](tenants/volumes.md) |
| a node does not join | [servers that do not join](operators/failures.md) |
| a node is not repaired | [automatic repair](tenants/healing.md) |
| an upgrade stands still | \`fairway cluster upgrade demo --plan\`, [progress](tenants/progress.md) |
| no scale-up or scale-down | [autoscaling](tenants/autoscaling.md) |
| a deletion hangs | [what deletions wait for](operators/causes.md#what-deletions-wait-for) |
| the cloud has resources without a cluster | [orphans](operators/orphans.md) |
| an alert fires | its [runbook](operators/runbooks.md) |
| the machine of Fairway is lost | [disaster recovery](operators/disaster.md) |
`;
