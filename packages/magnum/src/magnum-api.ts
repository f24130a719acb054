import type { ServerLimits } from '@fairway/apiserver/server/limits';
import { type CertificateByName, type Listener, listen, type TlsOptions } from '@fairway/apiserver/server/listener';
import { Traffic } from '@fairway/apiserver/server/traffic';
import type { Clock } from '@fairway/base/clock';
import { every } from '@fairway/base/every';
import type { PendingNodegroups } from './clusters/pending-nodegroups.ts';
import type { OrphanedCredentialGC } from './credentials/orphaned-credential-gc.ts';
import { MagnumFront } from './http/front.ts';
import { ROUTES } from './routes.ts';
import type { MagnumServices } from './services.ts';

export interface MagnumApiOptions {
  readonly services: MagnumServices;
  readonly credentialGC: OrphanedCredentialGC;
  readonly pendingNodegroups: PendingNodegroups;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly tls: TlsOptions;
  readonly certificateFor?: CertificateByName | undefined;
  /** Client limits, if they differ from the defaults. */
  readonly limits?: Partial<ServerLimits> | undefined;
  /** Public URL for the port that the server listens on. */
  readonly urlOf: (port: number) => string;
  readonly clock: Clock;
}

export interface MagnumApi {
  /** Public URL, without a path. */
  readonly url: string;
  setTls(tls: TlsOptions): void;
  /** Waits for requests in progress. */
  close(): Promise<void>;
}

const SWEEP_INTERVAL_MS = 5 * 60_000;
/** A cluster waits for its nodes, so passes are frequent. */
const PENDING_SWEEP_INTERVAL_MS = 20_000;

/** Serves Magnum's API; resolves once it is listening. */
export async function serveMagnumApi(options: MagnumApiOptions): Promise<MagnumApi> {
  const { services, credentialGC, pendingNodegroups, host, port, tls, certificateFor, limits, urlOf, clock } = options;
  const traffic = new Traffic({ limits, clock });
  let url = '';
  const front = new MagnumFront({ services, routes: ROUTES, traffic, url: () => url });
  const listener: Listener = await listen(
    { host, port, tls, certificateFor },
    (request, response) => front.handler(request, response),
    traffic,
  );
  url = urlOf(listener.port);
  const stopCredentialGC = every(
    SWEEP_INTERVAL_MS,
    clock,
    () => credentialGC.sweep(),
    (error) => services.log.warn({ err: error }, 'could not list orphaned credentials'),
  );
  const stopPendingSweep = every(
    PENDING_SWEEP_INTERVAL_MS,
    clock,
    () => pendingNodegroups.sweep(),
    (error) => services.log.warn({ err: error }, 'could not list pending nodegroups of new clusters'),
  );
  return {
    url,
    setTls: (next) => listener.setTls(next),
    close: async () => {
      await Promise.all([stopCredentialGC(), stopPendingSweep()]);
      await listener.close();
    },
  };
}
