/** The user that a cluster's programs run as. */
export interface ProcessUser {
  readonly uid: number;
  readonly gid: number;
}
