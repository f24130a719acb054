/** The server that a node runs on, as the cloud reports it. */
export interface ServerInfo {
  readonly id: string;
  readonly name: string;
  /** Fixed addresses, the primary one first. */
  readonly addresses: readonly string[];
  readonly zone: string | undefined;
  readonly flavor: { readonly vcpus: number; readonly ramMib: number; readonly diskGib: number };
}
