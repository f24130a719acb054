import { createServer } from 'node:net';

/** Above those of Kubernetes' own components (10250 to 10259), below those that Fairway's runtimes draw from (20000 on) and those that Linux gives to connections and to servers that ask for any (32768 on). */
const FIRST_PORT = 11_000;
const PORTS = 9_000;

/**
 * Ports of 127.0.0.1 that are free, for programs that can't choose one themselves and for servers that start again where they were: no other process gets
 * one by chance meanwhile.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
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
