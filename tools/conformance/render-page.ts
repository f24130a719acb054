import { CONTAINER_REQUIREMENTS, reasonOf } from './needs-containers.ts';
import { CLUSTER_KINDS, type ClusterKind, type Results } from './results.ts';

const KINDS = Object.keys(CLUSTER_KINDS) as ClusterKind[];

/** docs/conformance.md: counts, failures, and the reasons for omitted tests. */
export function renderPage(results: Results): string {
  const names = namesOf(results);
  return `${[HEADER.replace('VERSION', results.kubernetes), summary(results, names), renderAreas(results, names), failures(results, names), renderReasons(names)].join('\n\n')}\n`;
}

/**
 * docs/conformance.json: each test by name, with its result on each kind of cluster: `passed`, or another state with
 * the reason.
 */
export function renderTable(results: Results): string {
  const tests = namesOf(results).map((name) => {
    const states = KINDS.map((kind) => [kind, resultOf(results, kind, name)] as const);
    return [name, Object.fromEntries(states)] as const;
  });
  return `${JSON.stringify({ kubernetes: results.kubernetes, tests: Object.fromEntries(tests) }, undefined, 2)}\n`;
}

const HEADER = `# Conformance

Results of Kubernetes' conformance tests, release VERSION, on Fairway's clusters. \`npm run conformance\` creates a cluster as a tenant would, runs each test in a process of its own and
writes this page and [conformance.json](conformance.json), which lists every test. \`npm run conformance -- 'Job.*index'\` runs some of them and updates only those. The tests are built
by \`testbed/kubernetes/current build-tests\`, which needs Go. Tests marked \`[Serial]\` or \`[Disruptive]\` run alone, after the others.

- A **hollow cluster** has the embedded API server with Fairway's own scheduler and controllers. Its nodes report what kubelets would, and run no programs.
- A **\`process\` control plane** is etcd, kube-apiserver, kube-controller-manager and kube-scheduler, with the same nodes.
- **Real nodes** run containers under the same control plane: \`npm run conformance -- --cluster nodes\` boots two hosts of [testbed/node](../testbed/node/README.md), whose README says what replaces the tests' images;
  \`--kubeconfig FILE\` uses an existing cluster. Tests counted as *not run* have not run on them yet.
- *needs containers*: the test depends on what a program in a pod answers or prints. If such a test passes, the run fails.`;

const NOT_RUN = 'not run';
/** All states that are counted. */
const STATE_LABELS = ['passed', 'failed', 'needs containers', 'skipped', NOT_RUN];

function namesOf(results: Results): readonly string[] {
  return [...new Set(KINDS.flatMap((kind) => Object.keys(results.clusters[kind]?.tests ?? {})))].sort();
}

function summary(results: Results, names: readonly string[]): string {
  const rows = KINDS.flatMap((kind) => {
    const cluster = results.clusters[kind];
    if (cluster === undefined) return [];
    const cells = names.map((name) => stateLabelOf(results, kind, name));
    const numbers = STATE_LABELS.map((word) => cells.filter((cell) => cell === word).length);
    return [`| ${CLUSTER_KINDS[kind]} | ${cluster.date} | ${numbers.join(' | ')} |`];
  });
  const head = [
    '| | run on | passed | failed | need containers | skipped | not run |',
    '|---|---|--:|--:|--:|--:|--:|',
  ];
  return [...head, ...rows].join('\n');
}

function renderAreas(results: Results, names: readonly string[]): string {
  const areaOf = (name: string) => /^\[sig-([a-z-]+)\]/.exec(name)?.[1] ?? 'others';
  const rows = [...new Set(names.map(areaOf))].map((area) => {
    const own = names.filter((name) => areaOf(name) === area);
    const passed = KINDS.map((kind) => own.filter((name) => stateLabelOf(results, kind, name) === 'passed').length);
    return `| ${area} | ${own.length} | ${passed.join(' | ')} |`;
  });
  const head = `| area | tests | ${Object.values(CLUSTER_KINDS).join(' | ')} |\n|---|--:|${KINDS.map(() => '--:|').join('')}`;
  return `## Passed, by area\n\n${[head, ...rows].join('\n')}`;
}

function failures(results: Results, names: readonly string[]): string {
  const rows = KINDS.flatMap((kind) =>
    names
      .filter((name) => ['failed', 'skipped'].includes(stateLabelOf(results, kind, name)))
      .map((name) => `| ${CLUSTER_KINDS[kind]} | ${shortNameOf(name)} | ${escape(resultOf(results, kind, name))} |`),
  );
  const table = ['| | test | result |', '|---|---|---|', ...rows].join('\n');
  return `## Failed or skipped\n\n[Decision 67](decisions/0067-conformance.md) explains the failures.\n\n${table}`;
}

function renderReasons(names: readonly string[]): string {
  const texts = [...new Set(CONTAINER_REQUIREMENTS.map(({ reason }) => reason))];
  const rows = texts.map((text) => `| ${text} | ${names.filter((name) => reasonOf(name) === text).length} |`);
  return `## What needs containers\n\n\`tools/conformance/needs-containers.ts\` lists the tests.\n\n| a hollow node would have to | tests |\n|---|--:|\n${rows.join('\n')}`;
}

/** The state, and the reason if it is not `passed` and the reason is known. */
function resultOf(results: Results, kind: ClusterKind, name: string): string {
  const state = stateLabelOf(results, kind, name);
  const why = state === 'needs containers' ? reasonOf(name) : results.clusters[kind]?.tests[name]?.why;
  return why === undefined ? state : `${state}: ${why}`;
}

function stateLabelOf(results: Results, kind: ClusterKind, name: string): string {
  const state = results.clusters[kind]?.tests[name]?.state;
  if (kind !== 'nodes' && state !== 'passed' && reasonOf(name) !== undefined) return 'needs containers';
  return state ?? NOT_RUN;
}

/** The test name without the common prefix. */
function shortNameOf(name: string): string {
  return escape(name.replace(/^\[sig-[a-z-]+\] /, '').replace(' [Conformance]', ''));
}

function escape(text: string): string {
  return text.replaceAll(/[|<>*_`[\]]/g, String.raw`\$&`);
}
