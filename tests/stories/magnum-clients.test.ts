import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dump, load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findProgram } from '../clients/client-binaries.ts';
import { CoeSession } from '../magnum/coe-session.ts';
import { JOB_TARGETS } from '../main-job/job-clouds.ts';
import { run } from '../session/running-fairway.ts';
import { findCoeClient } from '../session/tools.ts';

const client = findCoeClient();
const gophercloud = findProgram('containerinfra');
const SDK = '/usr/lib/python3/dist-packages/openstack';
/** The path of Debian's Horizon panel. */
const PANEL = process.env['MAGNUM_UI'] ?? '/usr/lib/python3/dist-packages';
const missing = client === undefined ? ' (skipped: there is no /usr/bin/openstack with python3-magnumclient)' : '';
const withoutGophercloud =
  gophercloud === undefined
    ? ' (skipped: "testbed/clients/testbed build gophercloud" makes it, where there is Go)'
    : '';
const withoutPanel = existsSync(join(PANEL, 'magnum_ui'))
  ? ''
  : ' (skipped: there is no python3-magnum-ui; MAGNUM_UI may name the folder that has it)';
const withoutSdk = existsSync(SDK) ? '' : ' (skipped: there is no python3-openstacksdk)';

describe.skipIf(client === undefined).each(JOB_TARGETS)(`Magnum's API on $name${missing}`, (target) => {
  describe.skipIf(target.isMissing)('called by API clients', () => {
    let session: CoeSession;
    /** Templates for the newest two versions available to new clusters. */
    let older: string;
    let newer: string;

    beforeAll(async () => {
      session = await CoeSession.open(target, client ?? '');
      [older, newer] = await session.newestTemplates();
      const { cloudsYaml, magnum } = session.fairway;
      const { clouds } = load(await readFile(cloudsYaml, 'utf8')) as { clouds: Record<string, object> };
      const { member } = session.cloud;
      const trustedClouds = { [member]: { ...clouds[member], cacert: magnum.authority } };
      await writeFile(join(session.folder, 'clouds.yaml'), dump({ clouds: trustedClouds }));
    });
    afterAll(() => session?.close());

    const versionOf = (template: string) => new RegExp(`^v${template.split('-')[1]?.replace('.', '\\.')}\\.`);
    /** Runs a client, and returns the result of each step. */
    async function runClient(program: string, ...words: readonly string[]): Promise<unknown[]> {
      const { cloud, folder } = session;
      const { code, stdout, stderr } = await run(program, [...words, older, newer, cloud.flavor, cloud.image], {
        PATH: '/usr/bin:/bin',
        HOME: folder,
        OS_CLIENT_CONFIG_FILE: join(folder, 'clouds.yaml'),
        OS_CLOUD: cloud.member,
      });
      if (code !== 0) throw new Error(`${program}: ${stdout}${stderr}`);
      return stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);
    }

    test.skipIf(gophercloud === undefined)(`supports gophercloud${withoutGophercloud}`, async () => {
      expect(await runClient(gophercloud?.path ?? '')).toEqual([
        { step: 'template', name: 'of-gophercloud', masterLB: false },
        { step: 'created', nodes: 1, labels: { auto_healing_enabled: 'true' } },
        { step: 'listed', names: ['of-gophercloud'] },
        { step: 'missing', isNotFound: true },
        { step: 'resized', nodes: 2 },
        { step: 'nodegroups', names: ['default-master', 'default-worker', 'another'], most: 3 },
        { step: 'upgraded', version: expect.stringMatching(versionOf(newer)) },
        { step: 'signed', nodes: 200 },
        { step: 'rotated' },
        { step: 'deleted' },
      ]);
    });

    test.skipIf(withoutSdk !== '')(`supports openstacksdk${withoutSdk}`, async () => {
      const script = new URL('../magnum/openstacksdk.py', import.meta.url).pathname;
      expect(await runClient('/usr/bin/python3', script)).toEqual([
        { step: 'template', name: 'of-openstacksdk', labels: true },
        { step: 'created', names: ['of-openstacksdk'] },
        { step: 'missing', found: null },
        { step: 'resized', nodes: 2 },
        { step: 'upgraded', version: expect.stringMatching(versionOf(newer)) },
        { step: 'signed', nodes: 200 },
        { step: 'deleted', template: true },
      ]);
    });

    test.skipIf(withoutPanel !== '')(`supports Horizon's panel${withoutPanel}`, async () => {
      const script = new URL('../magnum/horizon_panel.py', import.meta.url).pathname;
      expect(await runClient('/usr/bin/python3', script, PANEL)).toEqual([
        { step: 'template', nameserver: '192.0.2.53' },
        { step: 'created', names: ['of-the-panel'], labels: { auto_healing_enabled: 'true' }, floating: false },
        { step: 'updated', nodes: 2 },
        { step: 'resized', nodes: 1 },
        { step: 'upgraded', version: expect.stringMatching(versionOf(newer)) },
        { step: 'certificate', isThere: true },
        { step: 'stats', clusters: 1, nodes: 1 },
        { step: 'deleted' },
      ]);
    });

    test('leaves nothing behind', async () => {
      expect(await session.json('tenant', 'coe', 'cluster', 'list')).toEqual([]);
      await expect.poll(() => session.trusts(), { interval: 1_000 }).toEqual([]);
    });
  });
});
