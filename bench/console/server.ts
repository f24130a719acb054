import { setTimeout as sleep } from 'node:timers/promises';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { ConsoleFiles } from '@fairway/gateway/console/console-files';
import { startKeystoneGateway } from '@fairway/gateway/testing/keystone-gateway';
import type { KubeObject } from '@fairway/kube/object/meta';
import { aFullCluster, aFullMachine } from './objects.ts';

export interface ConsoleServerReady {
  readonly url: string;
  readonly authority: string;
  readonly password: string;
  readonly namespace: string;
}

// A separate process, to measure the server's memory alone. bench/console.ts passes it the object counts.
const [clusterCount = 0, machineCount = 0] = process.argv.slice(2).map(Number);
const gateway = await startKeystoneGateway('embedded', {}, { consoleFiles: ConsoleFiles.open() });
const namespace = await gateway.keystone.as('simulator').session.projectId();
const { store } = gateway;

async function put(bucket: string, objects: readonly KubeObject[]): Promise<void> {
  await Promise.all(
    objects.map((object) =>
      store.write({
        bucket,
        key: `${namespace}/${object.metadata.name}`,
        expected: undefined,
        encode: (revision) => ({
          text: JSON.stringify({ ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }),
        }),
      }),
    ),
  );
}

const indexes = (count: number) => Array.from({ length: count }, (_, index) => index);
await put(
  `${clusters.plural}.fairway.dev`,
  indexes(clusterCount).map((index) => aFullCluster(namespace, index)),
);
await put(
  `${machines.plural}.fairway.dev`,
  indexes(machineCount).map((index) => aFullMachine(namespace, index, clusterCount)),
);
const { url, certificateAuthority: authority } = await gateway.form.address();
const { password } = gateway.keystone.loginOf('simulator');
process.on('message', (message) => {
  if (message === 'heap') void heap().then((bytes) => process.send?.(bytes));
  else process.exit(0);
});
process.send?.({ url, authority, password, namespace } satisfies ConsoleServerReady);

/** Memory in use after full collections: heap and native memory of buffers and sockets. */
async function heap(): Promise<number> {
  for (let round = 0; round < 4; round++) {
    globalThis.gc?.();
    await sleep(100);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
