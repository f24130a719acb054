import { createServer } from 'node:net';

/**
 * Above the ports of Kubernetes' own components (10250 to 10259), below those of Fairway's runtimes (from 20000) and
 * Linux's ephemeral ports (from 32768).
 */
const FIRST_PORT = 11_000;
const PORT_COUNT = 9_000;

/**
 * Free ports on 127.0.0.1, for programs that can't select one themselves and for servers that restart on the same
 * port: no other process takes one by chance in the meantime.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORT_COUNT);
    if (!ports.has(port) && (await isFree(port))) ports.add(port);
  }
  return [...ports];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
