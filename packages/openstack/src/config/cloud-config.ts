import type { EndpointInterface, ServiceEndpoint } from '../auth/catalog.ts';
import type { Credential } from '../auth/credential.ts';
import type { CloudLoadBalancers } from './load-balancer-settings.ts';
import type { NodeAddressSettings } from './node-address-settings.ts';

/** One validated cloud from clouds.yaml. */
export interface CloudConfig {
  /** `envvars` for the cloud defined by environment variables. */
  readonly name: string;
  readonly authUrl: string;
  readonly credential: Credential;
  /**
   * The chosen region, or else the first of `regions`, or `region_name`. If undefined, it comes from the catalog.
   */
  readonly region: string | undefined;
  readonly interface: EndpointInterface;
  readonly tls: TlsFiles;
  /** By service type. */
  readonly endpointOverrides: Readonly<Record<string, string>>;
  /** Interfaces and regions of individual services (`network_interface`), by service type. */
  readonly endpoints?: Readonly<Record<string, ServiceEndpoint>>;
  /** `compute_default_microversion`, or a `compute_api_version` that is a microversion. */
  readonly computeMicroversion: string | undefined;
  /** `node_addresses`, a key that only Fairway defines. */
  readonly nodeAddresses?: NodeAddressSettings;
  /** `load_balancers`, a key that only Fairway defines. */
  readonly loadBalancers?: CloudLoadBalancers;
  /** `config_drive`, a key that only Fairway defines: whether all nodes have one. */
  readonly configDrive?: boolean;
}

/** Paths to PEM files, with a leading `~` expanded. */
export interface TlsFiles {
  readonly verify: boolean;
  readonly cacert?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Thrown when clouds.yaml or the environment does not define the requested cloud. */
export class CloudConfigError extends Error {
  /** The file, or `the environment`. */
  readonly source: string;
  readonly cloud: string | undefined;
  /** `auth.password`. */
  readonly key: string | undefined;

  constructor(source: string, problem: string, at: { readonly cloud?: string; readonly key?: string } = {}) {
    const cloud = at.cloud === undefined ? '' : `: cloud ${at.cloud}`;
    const key = at.key === undefined ? '' : `: ${at.key}`;
    super(`${source}${cloud}${key}: ${problem}`);
    this.name = 'CloudConfigError';
    this.source = source;
    this.cloud = at.cloud;
    this.key = at.key;
  }
}
