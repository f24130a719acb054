/** The database of a simulated control plane that is a process of its own, in its folder. */
export const CLUSTER_DATABASE = 'cluster.db';
