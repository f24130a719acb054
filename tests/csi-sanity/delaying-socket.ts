import { connect, createServer, type Socket } from 'node:net';

const RESPONSE_DELAY_MS = 300;

/**
 * A proxy socket whose connections respond with a delay. csi-sanity waits for a connection to become ready, and
 * needlessly waits a full minute if it was ready before.
 */
export async function delayingSocket(path: string, target: string): Promise<{ close(): void }> {
  const open = new Set<Socket>();
  const track = (socket: Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => socket.destroy());
  };
  const server = createServer((client) => {
    track(client);
    setTimeout(() => {
      const driver = connect(target);
      track(driver);
      client.pipe(driver).pipe(client);
    }, RESPONSE_DELAY_MS);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
  return {
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
