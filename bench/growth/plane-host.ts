import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import type { ControlPlaneRuntime } from '@fairway/control-plane/runtime';
import { parseSpecFile } from '@fairway/control-plane/simulated/spec-file';
import { simulatedControlPlanes } from '@fairway/service/up/control-planes';
import { secretsEncryption } from '@fairway/service/up/encryption';
import { Home } from '@fairway/service/up/home';
import { CHANGES_PATH, type PlaneAnswers, type PlaneRequest } from './plane-protocol.ts';

/** Simulated control planes in a process of their own; arguments are their folder and the Unix socket that they are managed by. */
async function main(folder: string, socket: string): Promise<void> {
  const home = new Home(folder);
  home.create();
  const codec = () => secretsEncryption(home, systemClock);
  const planes = simulatedControlPlanes({ home, codec, clock: systemClock, random: Math.random, log: silentLogger });
  const answers = answersOf(planes.runtime);
  const server = createServer((request, response) => {
    if (request.url === CHANGES_PATH) streamChanges(planes.runtime, response);
    else void answer(answers, request, response);
  });
  server.listen(socket, () => process.send?.('ready'));
}

type Answers = { readonly [Name in PlaneRequest]: (body: string) => Promise<PlaneAnswers[Name]> };

function answersOf(runtime: ControlPlaneRuntime): Answers {
  return {
    ensure: async (body) => runtime.ensure((await parseSpecFile(body)).spec),
    rest: (uid) => runtime.rest(uid),
    empty: (uid) => runtime.empty(uid),
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

await main(process.argv[2] ?? '', process.argv[3] ?? '');
