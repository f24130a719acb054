import type { ServerLimits } from '@fairway/apiserver/server/limits';
import { type CertificateByName, type Listener, listen, type TlsOptions } from '@fairway/apiserver/server/listener';
import { Traffic } from '@fairway/apiserver/server/traffic';
import type { Clock } from '@fairway/base/clock';
import { every } from '@fairway/base/every';
import type { OwedPools } from './clusters/owed-pools.ts';
import type { AbandonedCredentials } from './credentials/abandoned-credentials.ts';
import { MagnumFront } from './http/front.ts';
import { ROUTES } from './routes.ts';
import type { MagnumServices } from './services.ts';

export interface MagnumApiOptions {
  readonly services: MagnumServices;
  readonly abandoned: AbandonedCredentials;
  readonly owedPools: OwedPools;
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly tls: TlsOptions;
  readonly certificateFor?: CertificateByName | undefined;
  /** Of clients, where they are not the defaults. */
  readonly limits?: Partial<ServerLimits> | undefined;
  /** The URL by which clients reach it, of the port that it listens on. */
  readonly urlOf: (port: number) => string;
  readonly clock: Clock;
}

export interface MagnumApi {
  /** By which clients reach it, without a path. */
  readonly url: string;
  setTls(tls: TlsOptions): void;
  /** Lets running requests finish. */
  close(): Promise<void>;
}

const SWEEP_MS = 5 * 60_000;
/** A cluster waits for its nodes. */
const OWED_SWEEP_MS = 20_000;

/** Serves Magnum's API; resolves when it listens. */
export async function serveMagnumApi(options: MagnumApiOptions): Promise<MagnumApi> {
  const { services, abandoned, owedPools, host, port, tls, certificateFor, limits, urlOf, clock } = options;
  const traffic = new Traffic({ limits, clock });
  let url = '';
  const front = new MagnumFront({ services, routes: ROUTES, traffic, url: () => url });
  const listener: Listener = await listen(
    { host, port, tls, certificateFor },
    (request, response) => front.handler(request, response),
    traffic,
  );
  url = urlOf(listener.port);
  const stopSweeping = every(
    SWEEP_MS,
    clock,
    () => abandoned.sweep(),
    (error) => services.log.warn({ err: error }, 'abandoned credentials could not be listed'),
  );
  const stopLooking = every(
    OWED_SWEEP_MS,
    clock,
    () => owedPools.sweep(),
    (error) => services.log.warn({ err: error }, 'nodegroups that new clusters wait for could not be listed'),
  );
  return {
    url,
    setTls: (next) => listener.setTls(next),
    close: async () => {
      await Promise.all([stopSweeping(), stopLooking()]);
      await listener.close();
    },
  };
}
