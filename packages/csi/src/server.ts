import { rm } from 'node:fs/promises';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { VolumeBuilds } from '@fairway/cloud-provider/volumes/volume-builds';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import { CallError } from './calls/call-error.ts';
import { CallTime, newPaces, type Paces } from './calls/call-time.ts';
import { toCallError } from './calls/failure.ts';
import { Operations } from './calls/operations.ts';
import { controllerHandlers, type Handler, identityHandlers } from './controller-service.ts';
import { publishSocket, removeStaleSocket, socketPath } from './endpoint.ts';
import { csiServices } from './protocol/services.ts';

/** The largest valid request, with all its parameters, is a few KiB. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** External-provisioner uses 100 threads, the other sidecars use 10 each. */
const MAX_CALLS = 256;
/** Time limit of a call without a deadline. */
const MAX_CALL_DURATION_MS = 600_000;
/** Reserved so that the response arrives before the caller's deadline. */
const RESPONSE_RESERVE_MS = 250;
/** How long calls may take to finish when the server stops. */
const SHUTDOWN_TIMEOUT_MS = 5_000;

export interface CsiServerOptions {
  /** `unix:///run/csi.sock`. */
  readonly endpoint: string;
  readonly cloud: ProjectCloud;
  /** Identifies the cluster in the marks of its volumes. */
  readonly clusterUid: string;
  /** Fairway's version. */
  readonly version: string;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
}

export interface CsiServer {
  /** Accepts no new calls, and aborts waiting calls. Waits for requests that were already sent to the cloud. */
  stop(): Promise<void>;
}

/**
 * Serves the driver's controller on a socket that only its own user can use; rejects if the server can't listen there.
 */
export async function serveCsi(options: CsiServerOptions): Promise<CsiServer> {
  const { cloud, clusterUid, version, clock, random, log } = options;
  const path = socketPath(options.endpoint);
  const [stopping, work] = [new AbortController(), new AbortController()];
  const builds = new VolumeBuilds({ clock, random, log });
  const storage = { cloud, clusterUid, clock, operations: new Operations(), builds, work: work.signal };
  const calls = new Calls({ clock, log, stopping: stopping.signal });
  const server = new Server({
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_concurrent_streams': MAX_CALLS,
  });
  const { Identity, Controller } = csiServices();
  server.addService(Identity, calls.unary(identityHandlers(version)));
  server.addService(Controller, calls.unary(controllerHandlers(storage)));
  await listen(server, path);
  return {
    async stop() {
      await rm(path, { force: true });
      stopping.abort(new CallError(status.UNAVAILABLE, 'the driver is shutting down: retry the call'));
      const shutdownTimer = clock.after(SHUTDOWN_TIMEOUT_MS, () => {
        work.abort(new Error('the driver is shutting down'));
        server.forceShutdown();
      });
      await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      shutdownTimer.cancel();
    },
  };
}

async function listen(server: Server, path: string): Promise<void> {
  await removeStaleSocket(path);
  const credentials = ServerCredentials.createInsecure();
  await publishSocket(
    path,
    (temporaryPath) =>
      new Promise<void>((resolve, reject) => {
        server.bindAsync(`unix:${temporaryPath}`, credentials, (error) => (error ? reject(error) : resolve()));
      }),
  );
}

/** State that all calls share: the number of calls, their time limits, and the errors that callers get. */
class Calls {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #stopping: AbortSignal;
  readonly #paces: Paces = newPaces();
  #running = 0;

  constructor({
    clock,
    log,
    stopping,
  }: { readonly clock: Clock; readonly log: Logger; readonly stopping: AbortSignal }) {
    this.#clock = clock;
    this.#log = log;
    this.#stopping = stopping;
  }

  unary(handlers: Readonly<Record<string, Handler>>) {
    const entries = Object.entries(handlers).map(([method, handle]) => {
      const handleCall = async (call: ServerUnaryCall<object, object>, done: sendUnaryData<object>) => {
        const { response, failure } = await this.#handle(method, handle, call);
        done(failure, response);
      };
      return [method, handleCall] as const;
    });
    return Object.fromEntries(entries);
  }

  async #handle(method: string, handle: Handler, call: ServerUnaryCall<object, object>) {
    const sinceMs = this.#clock.now();
    const deadline = new AbortController();
    const end = () =>
      deadline.abort(new CallError(status.DEADLINE_EXCEEDED, 'the deadline of the call has passed: retry the call'));
    const timer = this.#clock.after(this.#durationLimitMs(call), end);
    call.on('cancelled', end);
    const code = (of: status) => ({ method, code: status[of], durationMs: this.#clock.now() - sinceMs });
    this.#running += 1;
    try {
      if (this.#running > MAX_CALLS)
        throw new CallError(status.UNAVAILABLE, 'too many concurrent calls: retry the call');
      this.#stopping.throwIfAborted();
      const time = new CallTime(this.#clock, this.#paces, AbortSignal.any([deadline.signal, this.#stopping]));
      const response = await handle(call.request as never, time);
      this.#log.debug(code(status.OK), 'handled call');
      return { response, failure: null };
    } catch (error) {
      const known = toCallError(error, this.#clock.now());
      if (known === undefined) this.#log.error({ err: error, method }, 'call failed');
      const failure = known ?? new CallError(status.UNAVAILABLE, 'internal error: see the Fairway log');
      this.#log.debug({ ...code(failure.code), message: failure.message }, 'handled call');
      return { response: null, failure: { code: failure.code, details: failure.message } };
    } finally {
      this.#running -= 1;
      timer.cancel();
    }
  }

  #durationLimitMs(call: ServerUnaryCall<object, object>): number {
    const deadline = call.getDeadline();
    const remainingMs = (typeof deadline === 'number' ? deadline : deadline.getTime()) - Date.now();
    return Math.min(Math.max(remainingMs - RESPONSE_RESERVE_MS, remainingMs / 2), MAX_CALL_DURATION_MS);
  }
}
