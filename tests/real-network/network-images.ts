import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { testbed } from '../hosts/testbed.ts';
import type { TestRelease } from '../process-runtime/releases.ts';

/** What is missing to build kube-proxy and CoreDNS, for a test's name; empty if their images can be built. */
export function missingForServices({ folder }: TestRelease): string[] {
  return [...(existsSync(join(folder, 'kube-proxy')) ? [] : [`kube-proxy in ${folder}`]), ...missingParts('coredns')];
}

/** What is missing to build Canal, for a test's name; empty if its images can be built. */
export function missingForCanal(): string[] {
  return missingParts('plugins', 'flannel', 'calico');
}

function missingParts(...parts: readonly string[]): string[] {
  return testbed('lacks', ...parts)
    .split('\n')
    .filter((line) => line !== '');
}

/** Adds images to the mirror under the testbed's names, and makes Fairway offer their versions in a release. */
export async function offer(api: KubeClient, { version }: TestRelease, ...images: readonly string[]): Promise<void> {
  const lines = images.flatMap((name) => testbed(name).trim().split('\n'));
  const components = Object.fromEntries(lines.map((line) => line.split(': ')));
  const name = version.replace(/\.\d+$/, '');
  await api.resource(kubernetesReleases).patch(name, { type: 'merge', value: { spec: { components } } });
}
