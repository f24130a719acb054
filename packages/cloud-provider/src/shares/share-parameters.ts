import { isIPv4 } from 'node:net';
import { SHARE_DRIVER } from './driver.ts';
import { tryParseJsonObject } from './json-object.ts';

/** The share settings of a StorageClass. */
export interface ShareParameters {
  /** Name or ID of a share type; defaults to Manila's. */
  readonly type?: string;
  /** For types whose back ends create a server in each share network. */
  readonly shareNetworkID?: string;
  /** A Manila availability zone. */
  readonly availability?: string;
  /** Networks and addresses: node addresses within them get access to the share. */
  readonly shareClient?: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
}

const CLIENT = 'nfs-shareClient';
const METADATA = 'appendShareMetadata';
const PARAMETERS = ['type', 'shareNetworkID', 'availability', CLIENT, METADATA];
/** Manila's column limits. */
const MAX_LENGTH = 255;
const MAX_METADATA_LENGTH = 4096;
const MAX_ENTRIES = 20;
const MAX_VALUE_LENGTH = 1023;

/** Parameters of manila-csi-plugin that have a different meaning here, and what to do about them. */
const RESERVED_PATTERNS: readonly (readonly [pattern: RegExp, what: string])[] = [
  [
    /^csi\.storage\.k8s\.io\/.*-secret-(?:name|namespace)$/,
    'refers to a credential, but Fairway uses only its own: remove it',
  ],
  [/^cephfs-/, 'is for CephFS, but Fairway supports only NFS shares: remove it'],
  [/^groupID$/, 'refers to a share group, but Fairway does not support share groups: remove it'],
];

/** Reads a class's parameters as manila-csi-plugin does, or returns the problem. Pure. */
export function readShareParameters(parameters: Readonly<Record<string, string>> = {}): ShareParameters | string {
  for (const [name, value] of Object.entries(parameters)) {
    const problem = valueProblem(name, value);
    if (problem !== undefined) return `parameter "${name.slice(0, MAX_LENGTH)}" ${problem}`;
  }
  const { type, shareNetworkID, availability, [CLIENT]: client, [METADATA]: appendedMetadata } = parameters;
  const metadata = readMetadata(appendedMetadata);
  if (typeof metadata === 'string') return `parameter "${METADATA}" ${metadata}`;
  const shareClient = client ? client.split(',').map((each) => each.trim()) : undefined;
  const invalidRange = shareClient?.find((each) => !isNetwork(each));
  if (invalidRange !== undefined) {
    return `parameter "${CLIENT}" has "${invalidRange}": use IPv4 networks such as 10.0.0.0/16, separated by commas`;
  }
  return {
    ...(type && { type }),
    ...(shareNetworkID && { shareNetworkID }),
    ...(availability && { availability }),
    ...(shareClient && { shareClient }),
    metadata,
  };
}

function valueProblem(name: string, value: string): string | undefined {
  const refused = RESERVED_PATTERNS.find(([pattern]) => pattern.test(name));
  if (refused) return refused[1];
  if (name === 'autoTopology') {
    return value === 'false' ? undefined : 'is set, but shares can be mounted from every zone: remove it';
  }
  if (!PARAMETERS.includes(name)) return `is unknown: use ${PARAMETERS.join(', ')}`;
  const maxLength = name === METADATA ? MAX_METADATA_LENGTH : MAX_LENGTH;
  return value.length > maxLength ? `is longer than ${maxLength} characters` : undefined;
}

function readMetadata(text: string | undefined): Readonly<Record<string, string>> | string {
  if (!text) return {};
  const object = tryParseJsonObject(text);
  if (object === undefined) return 'is not a JSON object such as {"team": "blue"}';
  const entries = Object.entries(object);
  if (entries.length > MAX_ENTRIES) return `has more than ${MAX_ENTRIES} entries`;
  for (const [key, value] of entries) {
    if (key === '' || key.length > MAX_LENGTH) return `has a key that is empty or longer than ${MAX_LENGTH} characters`;
    if (isReserved(key)) return `has the key "${key}", which is reserved for Fairway`;
    if (typeof value !== 'string' || value === '' || value.length > MAX_VALUE_LENGTH) {
      return `has the key "${key}" , whose value must be a string of 1 to ${MAX_VALUE_LENGTH} characters`;
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
