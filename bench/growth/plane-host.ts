import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import type { ControlPlaneRuntime } from '@fairway/control-plane/runtime';
import { parseSpecFile } from '@fairway/control-plane/simulated/spec-file';
import { HollowNodeFleet } from '@fairway/hollow/node/hollow-node-fleet';
import { MemoryDisks } from '@fairway/hollow/node/node-state';
import { openStackFleetCloud } from '@fairway/hollow/node/openstack-fleet-cloud';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import { type ControlPlanes, simulatedControlPlanes } from '@fairway/service/up/control-planes';
import { secretsEncryption } from '@fairway/service/up/encryption';
import { Home } from '@fairway/service/up/home';
import { controlPlaneWithHttp2 } from './http2-control-plane.ts';
import { CHANGES_PATH, hostOf, type PlaneAnswers, type PlaneRequest } from './plane-protocol.ts';
import { followServers } from './server-stream.ts';

const PARTS = { clock: systemClock, random: Math.random, log: silentLogger };
/** Changes of servers come in bursts, and each list covers all servers of this process. */
const LOOK_DELAY_MS = 200;

/** JSON argument of the process. */
export interface PlaneHostOptions {
  readonly folder: string;
  /** The Unix socket by which control planes are managed. */
  readonly socket: string;
  readonly cloudsYaml: string;
  /** The Unix socket for changes of the cloud's servers. */
  readonly serversSocket: string;
  /** Its index, and the number of hosts. */
  readonly index: number;
  readonly hosts: number;
}

/** Simulated control planes and their nodes in a separate process. */
function main(options: PlaneHostOptions): void {
  const home = new Home(options.folder);
  home.create();
  const settings = { home, codec: () => secretsEncryption(home, systemClock), ...PARTS };
  const planes = simulatedControlPlanes(settings, undefined, controlPlaneWithHttp2);
  bootNodes(options, planes);
  const answers = answersOf(planes.runtime);
  const server = createServer((request, response) => {
    if (request.url === CHANGES_PATH) streamChanges(planes.runtime, response);
    else void answer(answers, request, response);
  });
  server.listen(options.socket, () => process.send?.('ready'));
}

/** Hollow nodes of the clusters of this process, which reach their API servers without sockets. */
function bootNodes({ cloudsYaml, serversSocket, index, hosts }: PlaneHostOptions, { connect }: ControlPlanes): void {
  const cloud = openStackFleetCloud(openCloud(readCloudsYaml(cloudsYaml), 'simulator-admin', PARTS).client());
  let isDue = false;
  const onChange = () => {
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      fleet.poke();
    }, LOOK_DELAY_MS);
  };
  const isMine = (clusterUid: string) => hostOf(clusterUid, hosts) === index;
  const fleet = new HollowNodeFleet({
    ...PARTS,
    cloud: { ...cloud, list: followServers(serversSocket, { isMine, onChange }) },
    disks: new MemoryDisks(),
    ...(connect && { createTransport: connect }),
  });
  fleet.start();
}

type Answers = { readonly [Name in PlaneRequest]: (body: string) => Promise<PlaneAnswers[Name]> };

function answersOf(runtime: ControlPlaneRuntime): Answers {
  return {
    ensure: async (body) => runtime.ensure((await parseSpecFile(body)).spec),
    rest: (uid) => runtime.hibernate(uid),
    empty: (uid) => runtime.wipe(uid),
    remove: (uid) => runtime.remove(uid),
    release: (uid) => runtime.release(uid).then(() => null),
    list: () => runtime.list(),
  };
}

async function answer(answers: Answers, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const name = (request.url ?? '').slice(1) as PlaneRequest;
    response.end(JSON.stringify(await answers[name](await text(request))));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}

function streamChanges(runtime: ControlPlaneRuntime, response: ServerResponse): void {
  response.flushHeaders();
  const unsubscribe = runtime.onChange((uid) => response.write(`${uid}\n`));
  response.once('close', unsubscribe);
}

main(JSON.parse(process.argv[2] ?? '{}') as PlaneHostOptions);
