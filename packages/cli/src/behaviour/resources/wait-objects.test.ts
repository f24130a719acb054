import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@fairway/base/clock-fake';
import { renderKubeconfig } from '@fairway/kube/client/kubeconfig';
import { ExitCode } from '@fairway/service/exit-code';
import { expect, test } from 'vitest';
import { waitForObjects } from '../../resources/wait-objects.ts';
import { fakeContext } from '../../testing/fake-context.ts';

test('applies the same timeout to a server that accepts connections but never responds', async () => {
  const connected = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    connected.resolve();
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = await mkdtemp(join(tmpdir(), 'fairway-wait-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const { port } = server.address() as AddressInfo;
  await writeFile(kubeconfig, renderKubeconfig({ name: 'demo', server: `https://127.0.0.1:${port}`, token: 't' }));
  const clock = new FakeClock();
  try {
    const options = { for: 'Ready', timeout: 5_000 };
    const waiting = waitForObjects(fakeContext({ clock }), { kubeconfig }, 'cluster', ['demo'], options);
    const ended = waiting.catch((error: unknown) => error);
    await connected.promise;
    await clock.advance(5_000);

    expect(await ended).toMatchObject({
      message: 'cluster "demo": timed out waiting for Fairway\'s API',
      exitCode: ExitCode.TimedOut,
    });
  } finally {
    server.close();
    await rm(folder, { recursive: true });
  }
});
