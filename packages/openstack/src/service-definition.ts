/** One OpenStack service without its client: how to find and address it. */
export interface ServiceDefinition {
  /** The official type from https://service-types.openstack.org. */
  readonly type: string;
  /** Project name: `Nova`. */
  readonly project: string;
  /** Names that catalogs use in addition to the official type. */
  readonly aliases?: readonly string[];
  /** The major version in use, as the last URL segment. */
  readonly majorVersion: RegExp;
  /** Appended to a URL without a version instead of discovering versions. */
  readonly fixedVersion?: string;
  /** Set if the service has microversions. */
  readonly microversions?: ServiceMicroversions;
  /**
   * A cheap read that proves that the service works and the user may use it; defaults to reading its version document.
   */
  readonly probe?: string;
}

export interface ServiceMicroversions {
  /** The service's name in the header: `compute`, `volume`. */
  readonly name: string;
  /** An older header with the same meaning, for old releases. */
  readonly oldHeader?: string;
  /** Used if the service supports it; otherwise the service's newest. If unset, no header is sent. */
  readonly wanted?: string;
}
