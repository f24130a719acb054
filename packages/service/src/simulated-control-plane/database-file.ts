/** The database file of a simulated control plane that runs as a separate process, in its directory. */
export const CLUSTER_DATABASE = 'cluster.db';
