import type { Session } from './auth/session.ts';
import { hasClient, type Service } from './service.ts';
import { ServiceApi } from './service-api.ts';
import type { Clients } from './services.ts';

/** Clients for a cloud's services that share one credential. */
export interface OpenStackClient extends Clients {
  readonly session: Session;
}

export interface OpenStackClientOptions {
  readonly services: readonly Service[];
  /** Overrides of the services' microversions, by service type. */
  readonly microversions?: Readonly<Record<string, string>>;
}

export function openStackClient(
  session: Session,
  { services, microversions = {} }: OpenStackClientOptions,
): OpenStackClient {
  const clients = services.filter(hasClient).map((service) => {
    const wanted = microversions[service.type] ?? service.microversions?.wanted;
    const negotiated = service.microversions && wanted !== undefined && { ...service.microversions, wanted };
    const api = negotiated ? new ServiceApi(session, service.type, negotiated) : new ServiceApi(session, service.type);
    return [service.clientName, service.client(api)] as const;
  });
  // The type Clients is derived from the same list.
  return { session, ...(Object.fromEntries(clients) as unknown as Clients) };
}
