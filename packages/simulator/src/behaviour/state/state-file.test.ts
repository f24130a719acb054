import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestCloud } from '../../test-cloud.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'simulator-'));
});
afterAll(() => rm(directory, { recursive: true }));

describe('a state file', () => {
  it('retains its content after kill -9, including a server that was being built', async () => {
    const stateFile = join(directory, 'killed.db');
    const script = `
      import { startTestCloud } from ${JSON.stringify(new URL('../../test-cloud.ts', import.meta.url).href)};
      const { demo } = await startTestCloud({ stateFile: ${JSON.stringify(stateFile)} });
      const network = await demo.make('/network/v2.0/networks', { network: { name: 'kept' } });
      await demo.make('/network/v2.0/subnets', { subnet: { network_id: network.id, ip_version: 4, cidr: '10.0.0.0/24' } });
      const { flavors } = (await demo.call('GET', '/compute/v2.1/flavors')).body;
      const { images } = (await demo.call('GET', '/image/v2/images')).body;
      const server = await demo.make('/compute/v2.1/servers', {
        server: { name: 's', flavorRef: flavors[0].id, imageRef: images[0].id, networks: [{ uuid: network.id }] },
      });
      console.log(JSON.stringify({ token: demo.token, server: server.id }));
      setInterval(() => {}, 1000);
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    child.kill('SIGKILL');
    await once(child, 'exit');
    const output = JSON.parse(line.toString()) as { token: string; server: string };

    const { cloud, clock, demo } = await startTestCloud({ stateFile });
    const path = `/compute/v2.1/servers/${output.server}`;
    const before = await demo.call('GET', path, undefined, { 'X-Auth-Token': output.token });
    await clock.advance(1);
    const after = await demo.call('GET', path);
    const networks = (await demo.call('GET', '/network/v2.0/networks?name=kept')).body['networks'];
    await cloud.close();

    expect(before.body['server']).toMatchObject({ status: 'BUILD' });
    expect(after.body['server']).toMatchObject({ status: 'ACTIVE', addresses: { kept: [{ addr: '10.0.0.2' }] } });
    expect(networks).toHaveLength(1);
  });

  it('never generates an ID twice, even if the random source starts over', async () => {
    const stateFile = join(directory, 'seeded.db');
    const ids = new Set<string>();
    for (let start = 0; start < 3; start++) {
      const { cloud, demo } = await startTestCloud({ stateFile });
      ids.add((await demo.make('/network/v2.0/networks', { network: {} })).id);
      await cloud.close();
    }

    expect(ids.size).toBe(3);
  });

  it('is readable only by its owner, because it contains passwords', async () => {
    const stateFile = join(directory, 'private.db');
    const { cloud } = await startTestCloud({ stateFile });
    await cloud.close();

    expect((await stat(stateFile)).mode & 0o077).toBe(0);
  });
});
