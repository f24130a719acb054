import type { Endpoint } from '../../runtime.ts';

/** An API server that only certain addresses may reach. */
export interface RestrictedEndpoint {
  readonly clusterUid: string;
  /** An IPv4 address of this machine and a port. */
  readonly endpoint: Endpoint;
  /** IPv4 ranges and addresses; they may overlap. */
  readonly sources: readonly string[];
}

/*
 * One table for each home. Two maps from address and port of an API server to its cluster's chains: a packet costs one
 * lookup, regardless of the number of clusters. The input chain rejects packets from other addresses, including those
 * of established connections. The output chain rejects packets that the API server would still send there, which closes
 * its end of those connections. Packets over the loopback device come from this machine itself.
 */

const INPUT_CHAIN = 'input_by_endpoint';
const OUTPUT = 'output_by_endpoint';
const CHAIN = 'input-';
/** Runs before the usual filter chains. No other table can allow what is rejected here. */
const PRIORITY = -10;

/**
 * Statements that create the table with its base chains, whether or not it already exists. Statements passed to nft
 * together take effect together or not at all.
 */
export function tableScript(table: string): readonly string[] {
  return [
    `add table inet ${table}`,
    `add map inet ${table} ${INPUT_CHAIN} { type ipv4_addr . inet_service : verdict; }`,
    `add map inet ${table} ${OUTPUT} { type ipv4_addr . inet_service : verdict; }`,
    `add chain inet ${table} input { type filter hook input priority ${PRIORITY}; policy accept; }`,
    `add chain inet ${table} output { type filter hook output priority ${PRIORITY}; policy accept; }`,
    `flush chain inet ${table} input`,
    `flush chain inet ${table} output`,
    `add rule inet ${table} input iifname != "lo" ip daddr . tcp dport vmap @${INPUT_CHAIN}`,
    `add rule inet ${table} output oifname != "lo" ip saddr . tcp sport vmap @${OUTPUT}`,
  ];
}

/** Statements that restrict an API server and replace any earlier restriction of it. The table must exist. */
export function restrictScript(
  table: string,
  { clusterUid, endpoint, sources }: RestrictedEndpoint,
): readonly string[] {
  const { set, input, output } = namesOf(clusterUid);
  const key = keyOf(endpoint);
  return [
    `add set inet ${table} ${set} { type ipv4_addr; flags interval; auto-merge; }`,
    `flush set inet ${table} ${set}`,
    ...(sources.length === 0 ? [] : [`add element inet ${table} ${set} { ${sources.join(', ')} }`]),
    `add chain inet ${table} ${input}`,
    `flush chain inet ${table} ${input}`,
    `add rule inet ${table} ${input} ip saddr != @${set} meta l4proto tcp reject with tcp reset`,
    `add chain inet ${table} ${output}`,
    `flush chain inet ${table} ${output}`,
    // Lets through the TCP reset that the rule above sends.
    `add rule inet ${table} ${output} ip daddr != @${set} tcp flags & rst == 0 reject with tcp reset`,
    `add element inet ${table} ${INPUT_CHAIN} { ${key} : jump ${input} }`,
    `add element inet ${table} ${OUTPUT} { ${key} : jump ${output} }`,
  ];
}

/** Statements that lift the restriction of an API server, whether or not it has one. The table must exist. */
export function liftScript(table: string, clusterUid: string, endpoint: Endpoint): readonly string[] {
  const { set, input, output } = namesOf(clusterUid);
  const key = keyOf(endpoint);
  return [
    // Deleting a missing entry would fail.
    ...restrictScript(table, { clusterUid, endpoint, sources: [] }),
    `delete element inet ${table} ${INPUT_CHAIN} { ${key} }`,
    `delete element inet ${table} ${OUTPUT} { ${key} }`,
    `delete chain inet ${table} ${input}`,
    `delete chain inet ${table} ${output}`,
    `delete set inet ${table} ${set}`,
  ];
}

/** Arguments of nft that list the restricted endpoints. */
export function nftListArguments(table: string): readonly string[] {
  return ['-j', 'list', 'map', 'inet', table, INPUT_CHAIN];
}

/** Endpoints by cluster UID in nft's output for `nftListArguments`. Throws for any other input. */
export function parseNftList(text: string): ReadonlyMap<string, Endpoint> {
  const { nftables } = JSON.parse(text) as { nftables: readonly { map?: { elem?: readonly ListedElement[] } }[] };
  const found = new Map<string, Endpoint>();
  for (const [key, action] of nftables.flatMap(({ map }) => map?.elem ?? [])) {
    const [host, port] = key.concat;
    found.set(action.jump.target.slice(CHAIN.length), { host, port });
  }
  return found;
}

type ListedElement = readonly [
  { readonly concat: readonly [address: string, port: number] },
  { readonly jump: { readonly target: string } },
];

function keyOf({ host, port }: Endpoint): string {
  return `${host} . ${port}`;
}

/** The UID becomes part of names that nft parses. */
function namesOf(clusterUid: string) {
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(clusterUid)) throw new Error(`"${clusterUid}" is not the UID of a cluster`);
  return { set: `sources-${clusterUid}`, input: `${CHAIN}${clusterUid}`, output: `output-${clusterUid}` };
}
