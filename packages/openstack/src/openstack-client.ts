import type { Session } from './auth/session.ts';
import { hasClient, type Service } from './service.ts';
import { ServiceApi } from './service-api.ts';
import type { Clients } from './services.ts';

/** What a cloud offers to one credential, service by service. */
export interface OpenStackClient extends Clients {
  readonly session: Session;
}

export interface OpenStackClientOptions {
  readonly services: readonly Service[];
  /** Microversions that are spoken in place of the services' own, by service type. */
  readonly microversions?: Readonly<Record<string, string>>;
}

export function openStackClient(
  session: Session,
  { services, microversions = {} }: OpenStackClientOptions,
): OpenStackClient {
  const clients = services.filter(hasClient).map((service) => {
    const wanted = microversions[service.type] ?? service.microversions?.wanted;
    const spoken = service.microversions && wanted !== undefined && { ...service.microversions, wanted };
    const api = spoken ? new ServiceApi(session, service.type, spoken) : new ServiceApi(session, service.type);
    return [service.clientName, service.client(api)] as const;
  });
  // Clients is made of the same list.
  return { session, ...(Object.fromEntries(clients) as unknown as Clients) };
}
