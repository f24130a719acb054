import { cinderCsiVersion, LIVENESS_PROBE_VERSION, REGISTRAR_VERSION } from '@fairway/addons/versions';
import { testbed } from '../hosts/testbed.ts';
import { upstreamProgram } from '../upstream-cloud-provider/programs.ts';

/** Debian packages that upstream's image of the plugin contains: it calls their programs. */
const CALLED = ['mount', 'util-linux', 'udev', 'e2fsprogs', 'xfsprogs'];
const ROOT = '0:0';

const PROGRAMS = ['cinder-csi-plugin', 'csi-node-driver-registrar', 'livenessprobe'] as const;

/** Programs of the driver's node half that are missing on this machine. */
export function pluginLacks(): readonly string[] {
  return PROGRAMS.filter((name) => upstreamProgram(name) === undefined);
}

/** Makes the testbed's mirror serve upstream's programs as the images that the add-on names. */
export function publishPluginImages(version: string): void {
  const publish = (name: (typeof PROGRAMS)[number], repository: string, tag: string, ...packages: readonly string[]) =>
    testbed('image', upstreamProgram(name) ?? '', `${repository}/${name}`, `v${tag}`, ROOT, ...packages);
  publish('cinder-csi-plugin', 'provider-os', cinderCsiVersion(version, undefined), ...CALLED);
  publish('csi-node-driver-registrar', 'sig-storage', REGISTRAR_VERSION);
  publish('livenessprobe', 'sig-storage', LIVENESS_PROBE_VERSION);
}
