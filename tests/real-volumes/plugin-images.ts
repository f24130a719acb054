import { cinderCsiVersion, LIVENESS_PROBE_VERSION, REGISTRAR_VERSION } from '@fairway/addons/versions';
import { testbed } from '../hosts/testbed.ts';
import { upstreamProgram } from '../upstream-cloud-provider/binaries.ts';

/** Debian packages in upstream's plugin image, which runs their programs. */
const PACKAGES = ['mount', 'util-linux', 'udev', 'e2fsprogs', 'xfsprogs'];
const ROOT = '0:0';

const BINARIES = ['cinder-csi-plugin', 'csi-node-driver-registrar', 'livenessprobe'] as const;

/** Programs that the driver's node service needs but this machine does not have. */
export function missingForPlugin(): readonly string[] {
  return BINARIES.filter((name) => upstreamProgram(name) === undefined);
}

/** Makes the testbed's mirror serve upstream's binaries as the add-on's images. */
export function publishPluginImages(version: string): void {
  const publish = (name: (typeof BINARIES)[number], repository: string, tag: string, ...packages: readonly string[]) =>
    testbed('image', upstreamProgram(name) ?? '', `${repository}/${name}`, `v${tag}`, ROOT, ...packages);
  publish('cinder-csi-plugin', 'provider-os', cinderCsiVersion(version, undefined), ...PACKAGES);
  publish('csi-node-driver-registrar', 'sig-storage', REGISTRAR_VERSION);
  publish('livenessprobe', 'sig-storage', LIVENESS_PROBE_VERSION);
}
