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
import { http2ControlPlane } from './http2-control-plane.ts';
import { CHANGES_PATH, hostOf, type PlaneRequest, type PlaneResponses } from './plane-protocol.ts';
import { followServers } from './server-stream.ts';

const SHARED_OPTIONS = { clock: systemClock, random: Math.random, log: silentLogger };
/** Server changes come in bursts, and each list covers all servers of this process. */
const POLL_DELAY_MS = 200;

/** JSON argument of the process. */
export interface PlaneHostOptions {
  readonly folder: string;
  /** The Unix socket for requests to control planes. */
  readonly socket: string;
  readonly cloudsYaml: string;
  /** The Unix socket for changes to the cloud's servers. */
  readonly serversSocket: string;
  /** Index of this host, and the number of hosts. */
  readonly index: number;
  readonly hosts: number;
}

/** Simulated control planes and their nodes in a separate process. */
function main(options: PlaneHostOptions): void {
  const home = new Home(options.folder);
  home.create();
  const settings = { home, codec: () => secretsEncryption(home, systemClock), ...SHARED_OPTIONS };
  const planes = simulatedControlPlanes(settings, undefined, http2ControlPlane);
  bootNodes(options, planes);
  const handlers = createHandlers(planes.runtime);
  const server = createServer((request, response) => {
    if (request.url === CHANGES_PATH) streamChanges(planes.runtime, response);
    else void handleRequest(handlers, request, response);
  });
  server.listen(options.socket, () => process.send?.('ready'));
}

/** Hollow nodes of this process's clusters. They reach their API servers without sockets. */
function bootNodes({ cloudsYaml, serversSocket, index, hosts }: PlaneHostOptions, { connect }: ControlPlanes): void {
  const cloud = openStackFleetCloud(openCloud(readCloudsYaml(cloudsYaml), 'simulator-admin', SHARED_OPTIONS).client());
  let isScheduled = false;
  const onChange = () => {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(() => {
      isScheduled = false;
      fleet.poke();
    }, POLL_DELAY_MS);
  };
  const isAssigned = (clusterUid: string) => hostOf(clusterUid, hosts) === index;
  const fleet = new HollowNodeFleet({
    ...SHARED_OPTIONS,
    cloud: { ...cloud, list: followServers(serversSocket, { isAssigned, onChange }) },
    disks: new MemoryDisks(),
    ...(connect && { createTransport: connect }),
  });
  fleet.start();
}

type Handlers = { readonly [Name in PlaneRequest]: (body: string) => Promise<PlaneResponses[Name]> };

function createHandlers(runtime: ControlPlaneRuntime): Handlers {
  return {
    ensure: async (body) => runtime.ensure((await parseSpecFile(body)).spec),
    rest: (uid) => runtime.hibernate(uid),
    empty: (uid) => runtime.wipe(uid),
    remove: (uid) => runtime.remove(uid),
    release: (uid) => runtime.release(uid).then(() => null),
    list: () => runtime.list(),
  };
}

async function handleRequest(handlers: Handlers, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const name = (request.url ?? '').slice(1) as PlaneRequest;
    response.end(JSON.stringify(await handlers[name](await text(request))));
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
