/** A network with a way out of the cloud. */
export interface ExternalNetwork {
  readonly name: string;
  readonly isDefault: boolean;
  /** Undefined if the cloud does not show the subnets of an external network. */
  readonly ipVersions: readonly (4 | 6)[] | undefined;
}
