import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CsiClient } from './csi-sanity/csi-client.ts';
import type { DriverProcess } from './csi-sanity/driver-process.ts';
import { SanityPlace } from './csi-sanity/sanity-place.ts';
import type { Spec } from './csi-sanity/sanity-run.ts';
import { JOB_TARGETS, type JobCloud } from './main-job/job-clouds.ts';
import { upstreamProgram } from './upstream-cloud-provider/binaries.ts';

const program = upstreamProgram('csi-sanity');
const missing =
  program === undefined ? ' (skipped: "testbed/cloud-provider-openstack/testbed build" makes csi-sanity)' : '';

/** Features that the driver does not support: capacities, volume modification, read-only attachments. */
const EXPECTED_SKIPS =
  /GetCapacity|ModifyVolume|volume attribute class|node max attach limit|already published but is incompatible/;

/** CSI's own test suite, against `fairway csi` as installed. */
describe.each(JOB_TARGETS)(`csi-sanity on $name${missing}`, (target) => {
  describe.skipIf(target.isMissing || program === undefined)('the controller', () => {
    let cloud: JobCloud;
    let place: SanityPlace;
    let driver: DriverProcess;
    let specs: readonly Spec[];

    beforeAll(async () => {
      cloud = await target.open();
      place = await SanityPlace.open(cloud);
      driver = await place.fairway();
      specs = await place.run();
    }, 600_000);
    afterAll(async () => {
      await driver?.stop();
      await place?.close();
      await cloud?.close();
    });

    it('passes all Controller and Identity specs', () => {
      expect(specs.filter(({ state }) => state !== 'passed' && state !== 'skipped')).toEqual([]);
      const passed = specs.filter(({ state }) => state === 'passed').map(({ name }) => name);
      expect(passed.length).toBeGreaterThanOrEqual(45);
      expect(passed).toContain('Controller Service [Controller Server] volume lifecycle should be idempotent');
    });

    it('skips only specs of unsupported features', () => {
      const skipped = specs.filter(({ state }) => state === 'skipped').map(({ name }) => name);

      expect(skipped.filter((name) => !EXPECTED_SKIPS.test(name))).toEqual([]);
    });

    it('leaves nothing behind', async () => {
      const { volumes, snapshots } = place.member.blockStorage;

      expect(await Array.fromAsync(volumes.list())).toEqual([]);
      expect(await Array.fromAsync(snapshots.list())).toEqual([]);
    });

    it('creates one volume per name, even if it is killed partway through', async () => {
      const { volumes } = place.member.blockStorage;
      const count = async () => (await Array.fromAsync(volumes.list())).length;
      const first = new CsiClient(place.socket);
      const lost = first.createVolume('killed').catch(() => {});
      await expect.poll(count).toBe(1);
      await driver.stop('SIGKILL');
      first.close();
      await lost;

      driver = await place.fairway();
      const second = new CsiClient(place.socket);
      const id = await second.createVolume('killed');

      expect((await Array.fromAsync(volumes.list())).map((volume) => volume.id)).toEqual([id]);
      await second.deleteVolume(id);
      second.close();
      expect(await count()).toBe(0);
    });

    it('stops gracefully', async () => {
      expect(await driver.stop()).toBe(0);
    });
  });
});
