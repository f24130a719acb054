import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const TESTBED = new URL('../../testbed/clients/testbed', import.meta.url).pathname;

/** A binary built by testbed/clients. */
export interface ClientProgram {
  readonly path: string;
  readonly version: string;
  /** Manifests of the CRDs that the program needs. */
  readonly crds: string;
}

const CLIENTS = {
  helm: 'helm',
  'source-controller': 'flux',
  'kustomize-controller': 'flux',
  'cert-manager': 'cert-manager',
  tofu: 'tofu',
  'terraform-provider-openstack': 'tofu',
  containerinfra: 'gophercloud',
  promtool: 'prometheus',
} as const;

/** Undefined if the program has not been built. */
export function findProgram(name: keyof typeof CLIENTS): ClientProgram | undefined {
  const folder = execFileSync(TESTBED, ['path', CLIENTS[name]], { encoding: 'utf8' }).trim();
  const path = join(folder, 'bin', name);
  if (!existsSync(path)) return undefined;
  return { path, version: folder.slice(folder.lastIndexOf('-') + 1), crds: join(folder, 'crds') };
}
