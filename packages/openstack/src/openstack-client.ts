import type { Session } from './auth/session.ts';
import { COMPUTE_MICROVERSION, Compute } from './compute/compute.ts';
import { Identity } from './identity/identity.ts';
import { Images } from './image/images.ts';
import { Network } from './network/network.ts';
import { ServiceApi } from './service-api.ts';

/** What a cloud offers to one credential, service by service. */
export class OpenStackClient {
  readonly session: Session;
  readonly identity: Identity;
  readonly compute: Compute;
  readonly network: Network;
  readonly images: Images;

  constructor(session: Session, options: { readonly computeMicroversion?: string } = {}) {
    this.session = session;
    this.identity = new Identity(new ServiceApi(session, 'identity'));
    const wanted = options.computeMicroversion ?? COMPUTE_MICROVERSION;
    this.compute = new Compute(new ServiceApi(session, 'compute', { name: 'compute', wanted }));
    this.network = new Network(new ServiceApi(session, 'network'));
    this.images = new Images(new ServiceApi(session, 'image'));
  }
}
