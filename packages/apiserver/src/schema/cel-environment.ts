import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
  quantityOf,
  subtractQuantities,
  tryParseQuantity,
} from '@fairway/kube/object/quantity';
import { Environment } from '@marcbachmann/cel-js';
import { addAuthorizer } from './cel-authorizer.ts';
import { addFormats } from './cel-formats.ts';
import { addLists, addSets } from './cel-lists.ts';
import {
  CelCidr,
  CelIp,
  isGlobalUnicast,
  isLinkLocalMulticast,
  isLinkLocalUnicast,
  isLoopback,
  isUnspecified,
  parseCelCidr,
  parseCelIp,
} from './cel-network.ts';
import { findAllIn } from './cel-patterns.ts';

/** A quantity in a CEL rule. */
class CelQuantity implements Quantity {
  readonly nanos: bigint;
  readonly format: Quantity['format'];

  constructor({ nanos, format }: Quantity) {
    this.nanos = nanos;
    this.format = format;
  }
}

class CelUrl {
  readonly url: URL;

  constructor(url: URL) {
    this.url = url;
  }
}

/** The receiver of `ip.isCanonical(…)`. */
class IpNamespace {
  readonly name = 'ip';
}

/**
 * Maximum length of one expression. Trees deeper than about 1,000 nodes (`a + a + a…`) overflow the stack, and are
 * rejected as rules.
 */
const LIMITS = { maxAstNodes: 5000, maxDepth: 100 };

/**
 * An environment with Kubernetes' extension libraries (k8s.io/apiserver/pkg/cel/library): strings, lists, regex, URLs, IP and CIDR,
 * quantities, formats, sets. Creating one takes milliseconds: `environmentFor` caches them.
 */
function makeEnvironment(): Environment {
  const environment = new Environment({
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
    limits: LIMITS,
  });
  addFormats(environment);
  addStrings(environment);
  addLists(environment);
  addSets(environment);
  addUrls(environment);
  addAddresses(environment);
  addNetworks(environment);
  addQuantityFunctions(environment);
  return environment;
}

const environments = new Map<string, Environment>();

/** The environment for rules whose `self` has a CEL type (`int`, `string`, `dyn`…), with `oldSelf` as an optional or the same type. */
export function environmentFor(selfType: string, isOldSelfOptional: boolean): Environment {
  const key = `${selfType} ${isOldSelfOptional}`;
  let environment = environments.get(key);
  if (environment === undefined) {
    environment = makeEnvironment()
      .registerVariable('self', selfType)
      .registerVariable('oldSelf', isOldSelfOptional ? 'optional<dyn>' : selfType);
    environments.set(key, environment);
  }
  return environment;
}

/** The environment for expressions with these variables, of any type; only `authorizer` has a type. */
export function environmentWith(variables: readonly string[]): Environment {
  const key = variables.join();
  const known = environments.get(key);
  if (known !== undefined) return known;
  const environment = makeEnvironment();
  for (const variable of variables) {
    if (variable === 'authorizer') addAuthorizer(environment);
    environment.registerVariable(variable, variable === 'authorizer' ? 'Authorizer' : 'dyn');
  }
  environments.set(key, environment);
  return environment;
}

function addStrings(environment: Environment): void {
  const replace = (text: string, from: string, to: string, limit = -1n) => {
    if (limit < 0n) return text.replaceAll(from, () => to);
    const parts = text.split(from);
    const head = parts.slice(0, Number(limit) + 1);
    return [head.join(to), ...parts.slice(head.length)].join(from);
  };
  environment
    .registerFunction('string.charAt(int): string', (text: string, index: bigint) => {
      if (index < 0n || index > text.length) throw new Error(`index out of range: ${index}`);
      return text.charAt(Number(index));
    })
    .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) =>
      replace(text, from, to),
    )
    .registerFunction(
      'string.replace(string, string, int): string',
      (text: string, from: string, to: string, limit: bigint) => replace(text, from, to, limit),
    )
    .registerFunction(
      'string.find(string): string',
      (text: string, pattern: string) => findAllIn(text, pattern, 1n)[0] ?? '',
    )
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) =>
      findAllIn(text, pattern, -1n),
    )
    .registerFunction('string.findAll(string, int): list<string>', findAllIn);
}

function addUrls(environment: Environment): void {
  environment
    .registerType('URL', CelUrl)
    .registerFunction('isURL(string): bool', (text: string) => parseUrl(text) !== undefined)
    .registerFunction('url(string): URL', (text: string) => {
      const url = parseUrl(text);
      if (url === undefined) throw new Error(`URL parse error during conversion from string: ${text}`);
      return url;
    })
    .registerFunction('URL.getScheme(): string', ({ url }: CelUrl) => url.protocol.replace(/^relative:|:$/g, ''))
    .registerFunction('URL.getHost(): string', ({ url }: CelUrl) => url.host)
    .registerFunction('URL.getHostname(): string', ({ url }: CelUrl) => url.hostname.replace(/^\[|\]$/g, ''))
    .registerFunction('URL.getPort(): string', ({ url }: CelUrl) => url.port)
    .registerFunction('URL.getEscapedPath(): string', ({ url }: CelUrl) => url.pathname)
    .registerFunction('URL.getQuery(): map<string, list<string>>', ({ url }: CelUrl) =>
      Object.fromEntries(Array.from(new Set(url.searchParams.keys()), (key) => [key, url.searchParams.getAll(key)])),
    );
}

/** Like Go's `url.ParseRequestURI`: an absolute URL or an absolute path. */
function parseUrl(text: string): CelUrl | undefined {
  const isPath = text.startsWith('/');
  const candidate = isPath ? `relative://${text}` : text;
  return /^(?:\/|[a-z][-+.a-z0-9]*:)/i.test(text) && URL.canParse(candidate)
    ? new CelUrl(new URL(candidate))
    : undefined;
}

function addAddresses(environment: Environment): void {
  const toIp = (text: string) => {
    const ip = parseCelIp(text);
    if (ip === undefined) throw new Error(`IP Address "${text}" parse error during conversion from string`);
    return ip;
  };
  environment
    .registerType('IpNamespace', IpNamespace)
    .registerType('IP', CelIp)
    .registerConstant('ip', 'IpNamespace', new IpNamespace())
    .registerFunction('ip(string): IP', toIp)
    .registerFunction('isIP(string): bool', (text: string) => parseCelIp(text) !== undefined)
    .registerFunction(
      'IpNamespace.isCanonical(string): bool',
      (_: unknown, text: string) => toIp(text).toString() === text,
    )
    .registerFunction('IP.family(): int', (ip: CelIp) => ip.family)
    .registerFunction('IP.isUnspecified(): bool', isUnspecified)
    .registerFunction('IP.isLoopback(): bool', isLoopback)
    .registerFunction('IP.isLinkLocalMulticast(): bool', isLinkLocalMulticast)
    .registerFunction('IP.isLinkLocalUnicast(): bool', isLinkLocalUnicast)
    .registerFunction('IP.isGlobalUnicast(): bool', isGlobalUnicast)
    .registerFunction('string(IP): string', (ip: CelIp) => ip.toString())
    .registerOperator('IP == IP', (left: CelIp, right: CelIp) => left.toString() === right.toString());
}

function addNetworks(environment: Environment): void {
  const toCidr = (text: string) => {
    const cidr = parseCelCidr(text);
    if (cidr === undefined) throw new Error(`network address parse error during conversion from string: ${text}`);
    return cidr;
  };
  const containsText = (cidr: CelCidr, text: string) => {
    const ip = parseCelIp(text);
    if (ip === undefined) throw new Error(`IP Address "${text}" parse error during conversion from string`);
    return cidr.containsIp(ip);
  };
  environment
    .registerType('CIDR', CelCidr)
    .registerFunction('cidr(string): CIDR', toCidr)
    .registerFunction('isCIDR(string): bool', (text: string) => parseCelCidr(text) !== undefined)
    .registerFunction('CIDR.containsIP(IP): bool', (cidr: CelCidr, ip: CelIp) => cidr.containsIp(ip))
    .registerFunction('CIDR.containsIP(string): bool', containsText)
    .registerFunction('CIDR.containsCIDR(CIDR): bool', (cidr: CelCidr, other: CelCidr) => cidr.containsCidr(other))
    .registerFunction('CIDR.containsCIDR(string): bool', (cidr: CelCidr, text: string) =>
      cidr.containsCidr(toCidr(text)),
    )
    .registerFunction('CIDR.ip(): IP', (cidr: CelCidr) => cidr.ip)
    .registerFunction('CIDR.masked(): CIDR', (cidr: CelCidr) => cidr.masked())
    .registerFunction('CIDR.prefixLength(): int', (cidr: CelCidr) => BigInt(cidr.prefixLength))
    .registerFunction('string(CIDR): string', (cidr: CelCidr) => cidr.toString())
    .registerOperator('CIDR == CIDR', (left: CelCidr, right: CelCidr) => left.toString() === right.toString());
}

function addQuantityFunctions(environment: Environment): void {
  const NANOS = 1_000_000_000n;
  const make = (quantity: Quantity) => new CelQuantity(quantity);
  const units = (value: bigint) => quantityOf(value);
  environment
    .registerType('Quantity', CelQuantity)
    .registerFunction('quantity(string): Quantity', (text: string) => make(parseQuantity(text)))
    .registerFunction('isQuantity(string): bool', (text: string) => tryParseQuantity(text) !== undefined)
    .registerFunction('Quantity.sign(): int', ({ nanos }: CelQuantity) => (nanos === 0n ? 0n : nanos < 0n ? -1n : 1n))
    .registerFunction('Quantity.isInteger(): bool', ({ nanos }: CelQuantity) => nanos % NANOS === 0n)
    .registerFunction('Quantity.asInteger(): int', ({ nanos }: CelQuantity) => {
      if (nanos % NANOS !== 0n) throw new Error('cannot convert value to integer');
      return nanos / NANOS;
    })
    .registerFunction('Quantity.asApproximateFloat(): double', ({ nanos }: CelQuantity) => Number(nanos) / 1e9)
    .registerFunction('Quantity.add(Quantity): Quantity', (left: CelQuantity, right: CelQuantity) =>
      make(addQuantities(left, right)),
    )
    .registerFunction('Quantity.add(int): Quantity', (left: CelQuantity, right: bigint) =>
      make(addQuantities(left, units(right))),
    )
    .registerFunction('Quantity.sub(Quantity): Quantity', (left: CelQuantity, right: CelQuantity) =>
      make(subtractQuantities(left, right)),
    )
    .registerFunction('Quantity.sub(int): Quantity', (left: CelQuantity, right: bigint) =>
      make(subtractQuantities(left, units(right))),
    )
    .registerFunction(
      'Quantity.isGreaterThan(Quantity): bool',
      (left: CelQuantity, right: CelQuantity) => compareQuantities(left, right) > 0,
    )
    .registerFunction(
      'Quantity.isLessThan(Quantity): bool',
      (left: CelQuantity, right: CelQuantity) => compareQuantities(left, right) < 0,
    )
    .registerFunction('Quantity.compareTo(Quantity): int', (left: CelQuantity, right: CelQuantity) =>
      BigInt(compareQuantities(left, right)),
    )
    .registerOperator('Quantity == Quantity', (left: CelQuantity, right: CelQuantity) => left.nanos === right.nanos);
}
