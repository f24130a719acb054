import { reasonOf } from './needs-containers.ts';
import { CLUSTER_KINDS, type ClusterKind, type Results } from './results.ts';

const KINDS = Object.keys(CLUSTER_KINDS) as ClusterKind[];

/** docs/conformance.md. */
export function renderPage(results: Results): string {
  const names = [...new Set(KINDS.flatMap((kind) => Object.keys(results.clusters[kind]?.tests ?? {})))].sort();
  return `${[HEADER.replace('VERSION', results.kubernetes), summary(results, names), ...groups(results, names), reasons(names)].join('\n\n')}\n`;
}

const HEADER = `# Conformance

What Kubernetes' own conformance tests of release VERSION say of Fairway's clusters. Written by \`npm run conformance\`, which makes a cluster as a tenant gets it,
runs each test in a process of its own and puts its result here; \`npm run conformance -- 'Job.*index'\` runs some of them, and changes their rows alone. The tests are built
by \`testbed/kubernetes/current build-tests\`, which needs Go. All 446 tests \`[Conformance]\` are here; those that are \`[Serial]\` or \`[Disruptive]\` run alone, after the others.

- A **hollow cluster** has the embedded API server with Fairway's own scheduler and controllers. Its nodes report what kubelets would, and run no programs.
- A **\`process\` control plane** is etcd, kube-apiserver, kube-controller-manager and kube-scheduler, with the same nodes.
- **Real nodes** run containers, below the same control plane: \`npm run conformance -- --cluster nodes\` boots two hosts of [testbed/node](../testbed/node/README.md), whose README says what stands for the images of the tests;
  with \`--kubeconfig FILE\` it takes a cluster that is there. A row that says *not run* has not run on them yet.
- *needs containers*: the test waits for what a program in a pod answers or prints. The reasons are at the end; a test of that list that passes fails the run.`;

const NOT_RUN = 'not run';
/** All that a cell may begin with. */
const WORDS = ['passed', 'failed', 'needs containers', 'skipped', NOT_RUN];

function summary(results: Results, names: readonly string[]): string {
  const rows = KINDS.flatMap((kind) => {
    const of = results.clusters[kind];
    if (of === undefined) return [];
    const cells = names.map((name) => wordOf(results, kind, name));
    const numbers = WORDS.map((word) => cells.filter((cell) => cell === word).length);
    return [`| ${CLUSTER_KINDS[kind]} | ${of.date} | ${numbers.join(' | ')} |`];
  });
  const head = [
    '| | run on | passed | failed | need containers | skipped | not run |',
    '|---|---|--:|--:|--:|--:|--:|',
  ];
  return [...head, ...rows].join('\n');
}

function groups(results: Results, names: readonly string[]): readonly string[] {
  const groupOf = (name: string) => /^\[sig-([a-z-]+)\]/.exec(name)?.[1] ?? 'others';
  return [...new Set(names.map(groupOf))].map((group) => {
    const own = names.filter((name) => groupOf(name) === group);
    const rows = own.map(
      (name) => `| ${shortOf(name)} | ${KINDS.map((kind) => cell(results, kind, name)).join(' | ')} |`,
    );
    const head = `| | ${Object.values(CLUSTER_KINDS).join(' | ')} |\n|---|${KINDS.map(() => '---|').join('')}`;
    return `## ${group}\n\n${head}\n${rows.join('\n')}`;
  });
}

function reasons(names: readonly string[]): string {
  const listed = names.flatMap((name) => {
    const reason = reasonOf(name);
    return reason === undefined ? [] : [`| ${shortOf(name)} | ${reason} |`];
  });
  return `## What needs containers\n\n| | a hollow node would have to |\n|---|---|\n${listed.join('\n')}`;
}

function wordOf(results: Results, kind: ClusterKind, name: string): string {
  const state = results.clusters[kind]?.tests[name]?.state;
  if (kind !== 'nodes' && state !== 'passed' && reasonOf(name) !== undefined) return 'needs containers';
  return state ?? NOT_RUN;
}

function cell(results: Results, kind: ClusterKind, name: string): string {
  const word = wordOf(results, kind, name);
  const why = results.clusters[kind]?.tests[name]?.why;
  if (word === 'needs containers' || why === undefined) return word;
  return `**${word}**: ${escape(why)}`;
}

/** Without what all of them have. */
function shortOf(name: string): string {
  return escape(name.replace(/^\[sig-[a-z-]+\] /, '').replace(' [Conformance]', ''));
}

function escape(text: string): string {
  return text.replaceAll(/[|<>*_`[\]]/g, String.raw`\$&`);
}
