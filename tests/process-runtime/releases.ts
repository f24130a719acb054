import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { COMPONENTS, type Component } from '@fairway/control-plane/process/components';
import { findExecutable } from '@fairway/control-plane/process/executables';
import type { Binaries } from '@fairway/control-plane/process/find-binaries';
import { findLocalBinaries } from '@fairway/control-plane/process/local-process-runtime';
import { testbedBinaries } from '@fairway/control-plane/process/testing/testbed-binaries';

/** The first minor version of Kubernetes 1 that Fairway offers; the product writes that version's flags. */
const FIRST_MINOR = 31;

/** A Kubernetes release for a test. */
export interface TestRelease {
  readonly version: string;
  /** The minor version: 36 for 1.36. */
  readonly minor: number;
  /** For a test's name: the version, and what is missing. */
  readonly described: string;
  /** Whether the binary that restores snapshots is next to etcd. */
  readonly hasRestoreTool: boolean;
  /** Whether revisions continue after a restore, as with etcdutl since 3.6. */
  readonly bumpsRevisions: boolean;
  /** The directory with the original binaries. */
  readonly folder: string;
  /** A value for KUBEBUILDER_ASSETS; creates the directory below `parent` if flags have to be omitted. */
  assets(parent: string): string;
}

/**
 * The flags that binaries of old releases do not support, and those that they need instead. They do not change what is
 * tested: without the grace period, a kube-apiserver with open watches is killed at the end of the supervisor's grace
 * period, and the old ports without TLS are open unless they are closed.
 */
const OLD_FLAGS: Readonly<
  Partial<Record<Component, { readonly unsupportedFlags: readonly string[]; readonly additionalFlags: string }>>
> = {
  'kube-apiserver': { unsupportedFlags: ['--shutdown-watch-termination-grace-period'], additionalFlags: '' },
  'kube-controller-manager': { unsupportedFlags: [], additionalFlags: '--port=0' },
  'kube-scheduler': { unsupportedFlags: [], additionalFlags: '--port=0' },
};

/** The first available release that Fairway offers, and an older one with best-effort support. */
export async function testReleases(): Promise<{ readonly offered?: TestRelease; readonly old?: TestRelease }> {
  const found = await findLocalBinaries(process.env, [testbedBinaries(process.env)]);
  const offered = found.find((binaries) => minorOf(binaries) >= FIRST_MINOR);
  const old = found.find((binaries) => minorOf(binaries) < FIRST_MINOR);
  return { ...(offered && { offered: releaseOf(offered) }), ...(old && { old: releaseOf(old) }) };
}

/** Available versions between which Fairway can upgrade a cluster, within a minor version and to the next one. */
export async function testUpgrade(): Promise<{ readonly from: string; readonly to: string } | undefined> {
  const found = (await findLocalBinaries(process.env, [])).filter((binaries) => minorOf(binaries) >= FIRST_MINOR);
  for (const from of found) {
    const to = found.find((other) => minorOf(other) === minorOf(from) + 1);
    if (to) return { from: from.version, to: to.version };
  }
  return undefined;
}

function minorOf({ version }: Binaries): number {
  return Number(version.split('.')[1]);
}

function releaseOf({ version, paths }: Binaries): TestRelease {
  const minor = Number(version.split('.')[1]);
  const unsupportedFlags = Object.values(OLD_FLAGS).flatMap((flags) => flags.unsupportedFlags);
  const isOld = minor < FIRST_MINOR;
  return {
    version,
    minor,
    hasRestoreTool: toolsOf(paths).length > 0,
    bumpsRevisions: toolsOf(paths).some((path) => basename(path) === 'etcdutl'),
    folder: dirname(paths['kube-apiserver']),
    described: isOld ? `${version}, without ${unsupportedFlags.join(' and ')}` : version,
    assets: (parent) => wrapBinaries(parent, { version, paths }, isOld),
  };
}

function wrapBinaries(parent: string, { version, paths }: Binaries, isOld: boolean): string {
  const folder = join(parent, `kubernetes-${version}`);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  for (const tool of toolsOf(paths)) symlinkSync(tool, join(folder, basename(tool)));
  for (const component of COMPONENTS) {
    const flags = isOld ? OLD_FLAGS[component] : undefined;
    const path = join(folder, component);
    if (flags === undefined) {
      symlinkSync(paths[component], path);
      continue;
    }
    // A cluster's user starts the wrapper, and may not list the binaries' directory.
    for (let at = parent; at.startsWith(`${tmpdir()}/`); at = dirname(at)) chmodSync(at, 0o711);
    const program = join(folder, `${component}-${version}`);
    copyFileSync(paths[component], program);
    writeFileSync(path, wrapper(program, flags));
    for (const file of [program, path]) chmodSync(file, 0o755);
  }
  return folder;
}

function toolsOf({ etcd }: Binaries['paths']): readonly string[] {
  return ['etcdutl', 'etcdctl'].flatMap((name) => findExecutable([dirname(etcd)], name) ?? []);
}

/** Replaces itself with the binary, and passes only supported flags. */
function wrapper(
  program: string,
  {
    unsupportedFlags,
    additionalFlags,
  }: { readonly unsupportedFlags: readonly string[]; readonly additionalFlags: string },
): string {
  const unknown = [...unsupportedFlags, '--none'].map((flag) => `${flag}=*`).join('|');
  return `#!/bin/sh
for flag; do
  shift
  case $flag in ${unknown}) ;; *) set -- "$@" "$flag" ;; esac
done
case "$*" in --version) ;; *) set -- "$@" ${additionalFlags} ;; esac
exec ${program} "$@"
`;
}
