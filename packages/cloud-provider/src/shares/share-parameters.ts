import { isIPv4 } from 'node:net';
import { SHARE_DRIVER } from './driver.ts';
import { tryParseJsonObject } from './json-object.ts';

/** What a StorageClass says of its shares. */
export interface ShareParameters {
  /** Name or id of a share type; Manila's default without it. */
  readonly type?: string;
  /** For types whose back ends make a server for each share network. */
  readonly shareNetworkID?: string;
  /** An availability zone of Manila. */
  readonly availability?: string;
  /** Networks and addresses: of the nodes' addresses, those in them get access. */
  readonly shareClient?: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
}

const CLIENT = 'nfs-shareClient';
const METADATA = 'appendShareMetadata';
const KNOWN = ['type', 'shareNetworkID', 'availability', CLIENT, METADATA];
/** Manila's columns. */
const MAX_LENGTH = 255;
const MAX_METADATA_LENGTH = 4096;
const MAX_ENTRIES = 20;
const MAX_VALUE_LENGTH = 1023;

/** Parameters of manila-csi-plugin that mean something else here, and what to do about them. */
const REFUSED: readonly (readonly [pattern: RegExp, what: string])[] = [
  [
    /^csi\.storage\.k8s\.io\/.*-secret-(?:name|namespace)$/,
    'names a credential, and Fairway uses that of the cluster alone: leave it out',
  ],
  [/^cephfs-/, 'is for CephFS, and Fairway serves shares over NFS alone: leave it out'],
  [/^groupID$/, 'names a share group, and Fairway makes shares outside of groups: leave it out'],
];

/** Reads a class's parameters as manila-csi-plugin does; returns what is wrong with them. Pure. */
export function readShareParameters(parameters: Readonly<Record<string, string>> = {}): ShareParameters | string {
  for (const [name, value] of Object.entries(parameters)) {
    const problem = problemOf(name, value);
    if (problem !== undefined) return `parameter "${name.slice(0, MAX_LENGTH)}" ${problem}`;
  }
  const { type, shareNetworkID, availability, [CLIENT]: client, [METADATA]: appended } = parameters;
  const metadata = readMetadata(appended);
  if (typeof metadata === 'string') return `parameter "${METADATA}" ${metadata}`;
  const shareClient = client ? client.split(',').map((each) => each.trim()) : undefined;
  const wrong = shareClient?.find((each) => !isNetwork(each));
  if (wrong !== undefined) {
    return `parameter "${CLIENT}" has "${wrong}": use IPv4 networks such as 10.0.0.0/16, separated by commas`;
  }
  return {
    ...(type && { type }),
    ...(shareNetworkID && { shareNetworkID }),
    ...(availability && { availability }),
    ...(shareClient && { shareClient }),
    metadata,
  };
}

function problemOf(name: string, value: string): string | undefined {
  const refused = REFUSED.find(([pattern]) => pattern.test(name));
  if (refused) return refused[1];
  if (name === 'autoTopology') {
    return value === 'false' ? undefined : 'is set, and shares can be mounted from every zone: leave it out';
  }
  if (!KNOWN.includes(name)) return `is not known: use ${KNOWN.join(', ')}`;
  const most = name === METADATA ? MAX_METADATA_LENGTH : MAX_LENGTH;
  return value.length > most ? `is longer than ${most} characters` : undefined;
}

function readMetadata(text: string | undefined): Readonly<Record<string, string>> | string {
  if (!text) return {};
  const object = tryParseJsonObject(text);
  if (object === undefined) return 'is no JSON object, such as {"team": "blue"}';
  const entries = Object.entries(object);
  if (entries.length > MAX_ENTRIES) return `has more than ${MAX_ENTRIES} entries`;
  for (const [key, value] of entries) {
    if (key === '' || key.length > MAX_LENGTH) return `has a key that is empty or longer than ${MAX_LENGTH} characters`;
    if (isReserved(key)) return `has the key "${key}", which is written by Fairway`;
    if (typeof value !== 'string' || value === '' || value.length > MAX_VALUE_LENGTH) {
      return `has the key "${key}" with something else than a text of 1 to ${MAX_VALUE_LENGTH} characters`;
    }
  }
  return object as Readonly<Record<string, string>>;
}

function isReserved(key: string): boolean {
  return ['fairway.dev/', 'csi.storage.k8s.io/', `${SHARE_DRIVER}/`].some((prefix) => key.startsWith(prefix));
}

/** An IPv4 address, or a network in CIDR notation. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  if (!isIPv4(address) || more.length > 0) return false;
  return bits === undefined || (/^\d{1,2}$/.test(bits) && Number(bits) <= 32);
}
