import { isIP } from 'node:net';
import { x509 } from './x509-library.ts';

type Extension = InstanceType<typeof x509.Extension>;

/** The parts of a distinguished name that Kubernetes reads: user name and groups. */
export interface Subject {
  /** The last common name, like Go's pkix.Name; '' if there is none. */
  readonly commonName: string;
  readonly organizations: readonly string[];
}

export interface SubjectAlternativeNames {
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
}

/**
 * Organizations first, each in its own relative name, as Go writes it. Values are never parsed, so none can smuggle in
 * another part.
 */
export function nameOf(subject: Subject): InstanceType<typeof x509.Name> {
  const organizations = subject.organizations.map((value) => ({ O: [{ utf8String: value }] }));
  return new x509.Name([
    ...organizations,
    ...(subject.commonName === '' ? [] : [{ CN: [{ utf8String: subject.commonName }] }]),
  ]);
}

export function subjectOf(name: InstanceType<typeof x509.Name>): Subject {
  return { commonName: name.getField('CN').at(-1) ?? '', organizations: name.getField('O') };
}

/** Undefined if there are no names: an empty extension is invalid. */
export function alternativeNamesExtension(names: Partial<SubjectAlternativeNames>): Extension | undefined {
  const entries = [
    ...(names.dnsNames ?? []).map((value) => ({ type: 'dns' as const, value })),
    ...(names.emailAddresses ?? []).map((value) => ({ type: 'email' as const, value })),
    ...(names.ipAddresses ?? []).map((value) => ({ type: 'ip' as const, value })),
    ...(names.uris ?? []).map((value) => ({ type: 'url' as const, value })),
  ];
  return entries.length === 0 ? undefined : new x509.SubjectAlternativeNameExtension(entries);
}

export function alternativeNamesOf(extensions: readonly Extension[]): SubjectAlternativeNames {
  const names = extensions
    .filter((extension) => extension instanceof x509.SubjectAlternativeNameExtension)
    .flatMap((extension) => extension.names.items);
  const of = (type: string) => names.filter((name) => name.type === type).map((name) => name.value);
  return {
    dnsNames: of('dns'),
    ipAddresses: of('ip').map(canonicalIp),
    emailAddresses: of('email'),
    uris: of('url'),
  };
}

/** Canonical text of an address, so that comparisons don't depend on how zeroes are written. */
export function canonicalIp(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}
