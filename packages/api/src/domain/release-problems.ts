import type { KubernetesRelease } from '../kinds/kubernetes-release.ts';
import { labelProblem } from './node-metadata.ts';
import { minorOf } from './version-numbers.ts';

/** Components installed on nodes along with Kubernetes. */
const NODE_COMPONENTS = ['containerd', 'pause'];

/** Errors that the operator must fix before clusters can use the release; empty for a valid release. */
export function releaseProblems({ metadata, spec }: KubernetesRelease): string[] {
  const problems: string[] = [];
  if (metadata.name !== spec.minor) {
    problems.push(`metadata.name: ${metadata.name} must be the minor version ${spec.minor}`);
  }
  const versions = spec.patches.map(({ version }) => version);
  for (const version of new Set(versions)) {
    if (minorOf(version) !== spec.minor) problems.push(`spec.patches: ${version} is not a version of ${spec.minor}`);
    if (versions.indexOf(version) !== versions.lastIndexOf(version)) {
      problems.push(`spec.patches: ${version} is listed more than once`);
    }
  }
  if (spec.patches.every(({ withdrawn }) => withdrawn)) {
    problems.push('spec.patches: all are withdrawn, so no version is available');
  }
  const missingComponents = NODE_COMPONENTS.filter((name) => !spec.components[name]);
  if (missingComponents.length > 0)
    problems.push(`spec.components: a version of ${missingComponents.join(' and ')} is required for nodes`);
  return [...problems, ...componentProblems(spec), ...canaryProblems(spec), ...dateProblems(spec)];
}

/** Versions are used in package, image and file names on nodes. */
const COMPONENT_VERSION = /^[0-9A-Za-z][0-9A-Za-z.+~_-]*$/;

function componentProblems({ components, patches }: KubernetesRelease['spec']): string[] {
  const all = [
    { field: 'spec.components', components },
    ...patches.map(({ version, components: own = {} }) => {
      return { field: `spec.patches[${version}].components`, components: own };
    }),
  ];
  return all.flatMap(({ field, components: each }) =>
    Object.entries(each)
      .filter(([, version]) => !COMPONENT_VERSION.test(version))
      .map(([name, version]) => `${field}.${name}: ${JSON.stringify(version)} is not a version such as 2.2.7`),
  );
}

/** No cluster can match an invalid label. */
function canaryProblems({ rollout }: KubernetesRelease['spec']): string[] {
  return Object.entries(rollout?.canarySelector?.matchLabels ?? {}).flatMap(([key, value]) => {
    const problem = labelProblem(key, value);
    const field = `spec.rollout.canarySelector.matchLabels[${key}]`;
    return problem === undefined
      ? []
      : [`${field}: ${JSON.stringify(value)}: no cluster can have this label: it ${problem}`];
  });
}

function dateProblems(spec: KubernetesRelease['spec']): string[] {
  const dates = [
    { field: 'spec.released', date: spec.released },
    { field: 'spec.maintenanceMode', date: spec.maintenanceMode },
    { field: 'spec.endOfLife', date: spec.endOfLife },
    ...spec.patches.map(({ version, released }) => ({ field: `spec.patches[${version}].released`, date: released })),
  ].flatMap(({ field, date }) => (date === undefined ? [] : [{ field, date }]));
  const problems = dates
    .filter(({ date }) => !isDate(date))
    .map(({ field, date }) => `${field}: ${date} is not a valid date`);
  const inOrder = dates.filter(({ field }) => !field.startsWith('spec.patches'));
  for (const [index, { field, date }] of inOrder.entries()) {
    const before = inOrder[index - 1];
    if (before && date < before.date) problems.push(`${field}: ${date} is before ${before.field} (${before.date})`);
  }
  for (const { version, released } of spec.patches) {
    if (released === undefined || spec.released === undefined || released >= spec.released) continue;
    problems.push(
      `spec.patches[${version}].released: ${released} is before spec.released (${spec.released}) of the minor version`,
    );
  }
  return problems;
}

/** Date.parse reads February 31 as March 3. */
function isDate(date: string): boolean {
  const ms = Date.parse(date);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date);
}
