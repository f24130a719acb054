import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { Destination } from '../outbound/outbound-client.ts';
import { serviceDestination } from '../outbound/service-destination.ts';
import type { RemoteApi } from './remote-api.ts';

/** This server's front-proxy client certificate; undefined if it has none. */
export type FrontProxyIdentity = () => Promise<Destination['identity']>;

interface DestinationOptions {
  readonly reader: ObjectReader;
  readonly identity: FrontProxyIdentity;
  readonly random: () => number;
}

/** One of the endpoints of the Service behind the API. Rejects with an OutboundError. */
export async function destinationOf(
  { reader, identity, random }: DestinationOptions,
  api: RemoteApi,
): Promise<Destination> {
  const { service, caBundle, insecureSkipTlsVerify } = api;
  return {
    ...serviceDestination(reader, service, random),
    caBundle,
    insecureSkipTlsVerify,
    identity: await identity(),
  };
}
