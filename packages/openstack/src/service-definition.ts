/** One OpenStack service without its client: how to find it and to address it. */
export interface ServiceDefinition {
  /** The official type of https://service-types.openstack.org. */
  readonly type: string;
  /** Project name: `Nova`. */
  readonly project: string;
  /** Names that catalogs use beside the official type. */
  readonly aliases?: readonly string[];
  /** The major version in use, as the last URL segment. */
  readonly majorVersion: RegExp;
  /** Appended to a URL without version instead of discovering versions. */
  readonly fixedVersion?: string;
  /** If it has microversions. */
  readonly microversions?: ServiceMicroversions;
  /** A cheap read that shows that it works and that the user may use it; by default its version document is read. */
  readonly probe?: string;
}

export interface ServiceMicroversions {
  /** The service's name in the header: `compute`, `volume`. */
  readonly name: string;
  /** An older header with the same meaning, for old releases. */
  readonly oldHeader?: string;
  /** Used if the service supports it; else its newest. Without it no header is sent. */
  readonly wanted?: string;
}
