/** One OpenStack service, as far as no client of it is needed: how it is found and asked. */
export interface ServiceDefinition {
  /** The official type of https://service-types.openstack.org. */
  readonly type: string;
  /** What its operator installs: `Nova`. */
  readonly project: string;
  /** Names that catalogs use beside the official type. */
  readonly aliases?: readonly string[];
  /** The major version that is spoken, as it ends a URL. */
  readonly majorVersion: RegExp;
  /** Appended to a URL without version instead of asking for the versions that there are. */
  readonly fixedVersion?: string;
  /** Where it has microversions. */
  readonly microversions?: ServiceMicroversions;
  /** A small read that shows that it answers, and that the user may use it; without one, asking for its versions has to do. */
  readonly probe?: string;
}

export interface ServiceMicroversions {
  /** As the header names the service: `compute`, `volume`. */
  readonly name: string;
  /** A second header that says the same to releases that know no other. */
  readonly oldHeader?: string;
  /** What is spoken if the service has it; else its newest. Nothing is said where this is left out. */
  readonly wanted?: string;
}
