import { join } from 'node:path';
import type { KubernetesBinaries } from './binaries.ts';
import { SupervisedProcess } from './supervised-process.ts';

/** Starts etcd on loopback with its data in a directory, and waits until it is healthy. */
export async function startEtcd(binaries: KubernetesBinaries, folder: string, port: number, peerPort: number) {
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  const etcd = new SupervisedProcess(
    binaries.path('etcd'),
    [
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
    ],
    join(folder, 'etcd.log'),
  );
  await etcd.whenReady(async () => {
    try {
      return (await fetch(`${client}/health`)).ok;
    } catch {
      return false;
    }
  });
  return etcd;
}
