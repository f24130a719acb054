import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const TESTBED = new URL('../../testbed/cloud-provider-openstack/testbed', import.meta.url).pathname;

type Program =
  | 'openstack-cloud-controller-manager'
  | 'cinder-csi-plugin'
  | 'csi-sanity'
  | 'csi-node-driver-registrar'
  | 'livenessprobe';

/** Path of one of the binaries of testbed/cloud-provider-openstack; undefined if it has not been built. */
export function upstreamProgram(name: Program): string | undefined {
  const folder = execFileSync(TESTBED, ['path'], { encoding: 'utf8' }).trim();
  const program = join(folder, name);
  return existsSync(program) ? program : undefined;
}
