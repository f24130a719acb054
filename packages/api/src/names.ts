/** A node's name is also its server's name and its host name, so it must be one DNS label. */
export const MAX_NODE_NAME_LENGTH = 63;
/** Random suffix of a Machine's name, like those from generateName. */
export const MACHINE_SUFFIX_LENGTH = 5;
export const MAX_CLUSTER_NAME_LENGTH = 24;
/**
 * Maximum length of a pool's name: what is left of a node's name after the cluster's name, the suffix and two dashes.
 */
export const MAX_NODE_POOL_NAME_LENGTH =
  MAX_NODE_NAME_LENGTH - MAX_CLUSTER_NAME_LENGTH - MACHINE_SUFFIX_LENGTH - '--'.length;

/** Lowercase letters, digits and dashes, starting with a letter and not ending with a dash (an RFC 1035 label). */
export const NAME_PATTERN = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

/** Kubernetes' alphabet for generated names: no vowels (to avoid words) and no look-alikes. */
const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** Describes what `NAME_PATTERN` allows. */
export const NAME_MESSAGE =
  'must consist of lowercase letters, digits and "-", start with a letter and end with a letter or digit';

export function nameTooLongMessage(maxLength: number): string {
  return `must be at most ${maxLength} characters, so that the names of servers and nodes are at most ${MAX_NODE_NAME_LENGTH}`;
}

/** The error for an invalid name of a cluster or pool; undefined if it is valid. */
export function nameProblem(name: string, maxLength: number): string | undefined {
  if (name.length > maxLength) {
    return nameTooLongMessage(maxLength);
  }
  if (!NAME_PATTERN.test(name)) {
    return NAME_MESSAGE;
  }
  return undefined;
}

/** Default name for a cluster's first pool: pool names must be unique in a namespace, across all clusters. */
export function defaultPoolName(clusterName: string): string {
  return `${clusterName}-general`;
}

/**
 * Name of a new Machine, its server and its node: `demo-general-x2k4q` for pool `general` or `demo-general` in cluster
 * `demo`.
 */
export function machineName(clusterName: string, nodePoolName: string, random: () => number): string {
  const pool = nodePoolName.startsWith(`${clusterName}-`) ? nodePoolName : `${clusterName}-${nodePoolName}`;
  return `${pool}-${randomSuffix(random)}`;
}

/** Random suffix that makes names unique, such as `x2k4q`. */
export function randomSuffix(random: () => number): string {
  let suffix = '';
  for (let i = 0; i < MACHINE_SUFFIX_LENGTH; i++) {
    suffix += SUFFIX_ALPHABET[Math.floor(random() * SUFFIX_ALPHABET.length)];
  }
  return suffix;
}
