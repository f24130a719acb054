import type { KubernetesRelease } from '../kinds/kubernetes-release.ts';
import { minorOf } from './version-numbers.ts';

/** Installed on nodes along with Kubernetes. */
const NODE_COMPONENTS = ['containerd', 'pause'];

/** What the operator must fix before clusters can use the release; empty for a valid one. */
export function releaseProblems({ metadata, spec }: KubernetesRelease): string[] {
  const problems: string[] = [];
  if (metadata.name !== spec.minor) {
    problems.push(
      `metadata.name: ${metadata.name} must be the minor version ${spec.minor}, so that there is one release of it`,
    );
  }
  const versions = spec.patches.map(({ version }) => version);
  for (const version of new Set(versions)) {
    if (minorOf(version) !== spec.minor) problems.push(`spec.patches: ${version} is no version of ${spec.minor}`);
    if (versions.indexOf(version) !== versions.lastIndexOf(version)) {
      problems.push(`spec.patches: ${version} is there more than once`);
    }
  }
  if (spec.patches.every(({ withdrawn }) => withdrawn)) {
    problems.push('spec.patches: all are withdrawn, so that nothing is offered');
  }
  const lacking = NODE_COMPONENTS.filter((name) => !spec.components[name]);
  if (lacking.length > 0) problems.push(`spec.components: nodes need a version of ${lacking.join(' and ')}`);
  return [...problems, ...dateProblems(spec)];
}

function dateProblems(spec: KubernetesRelease['spec']): string[] {
  const dates = [
    { field: 'spec.released', date: spec.released },
    { field: 'spec.maintenanceMode', date: spec.maintenanceMode },
    { field: 'spec.endOfLife', date: spec.endOfLife },
    ...spec.patches.map(({ version, released }) => ({ field: `spec.patches[${version}].released`, date: released })),
  ].flatMap(({ field, date }) => (date === undefined ? [] : [{ field, date }]));
  const problems = dates
    .filter(({ date }) => !isDay(date))
    .map(({ field, date }) => `${field}: ${date} is no day of the calendar`);
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

/** Date.parse takes the 31st of February for the 3rd of March. */
function isDay(date: string): boolean {
  const ms = Date.parse(date);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date);
}
