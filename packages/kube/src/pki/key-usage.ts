import { PkiError } from './pki-error.ts';
import { x509 } from './x509-library.ts';

const { KeyUsageFlags } = x509;

/** certificates.k8s.io/v1 KeyUsage → the bit of RFC 5280 4.2.1.3. */
const KEY_USAGES: Readonly<Record<string, number>> = {
  signing: KeyUsageFlags.digitalSignature,
  'digital signature': KeyUsageFlags.digitalSignature,
  'content commitment': KeyUsageFlags.nonRepudiation,
  'key encipherment': KeyUsageFlags.keyEncipherment,
  'key agreement': KeyUsageFlags.keyAgreement,
  'data encipherment': KeyUsageFlags.dataEncipherment,
  'cert sign': KeyUsageFlags.keyCertSign,
  'crl sign': KeyUsageFlags.cRLSign,
  'encipher only': KeyUsageFlags.encipherOnly,
  'decipher only': KeyUsageFlags.decipherOnly,
};

/** certificates.k8s.io/v1 KeyUsage → object identifier of the extended key usage. */
const EXTENDED_KEY_USAGES: Readonly<Record<string, string>> = {
  any: '2.5.29.37.0',
  'server auth': '1.3.6.1.5.5.7.3.1',
  'client auth': '1.3.6.1.5.5.7.3.2',
  'code signing': '1.3.6.1.5.5.7.3.3',
  'email protection': '1.3.6.1.5.5.7.3.4',
  's/mime': '1.3.6.1.5.5.7.3.4',
  'ipsec end system': '1.3.6.1.5.5.7.3.5',
  'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
  'ipsec user': '1.3.6.1.5.5.7.3.7',
  timestamping: '1.3.6.1.5.5.7.3.8',
  'ocsp signing': '1.3.6.1.5.5.7.3.9',
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
};

/** Every usage name in certificates.k8s.io/v1, sorted as kube-apiserver lists them in its errors. */
export const knownKeyUsages: readonly string[] = [
  ...Object.keys(KEY_USAGES),
  ...Object.keys(EXTENDED_KEY_USAGES),
].sort();

/** The two extensions that contain `usages`; throws a PkiError for a name that Kubernetes does not define. */
export function keyUsageExtensions(usages: readonly string[]): InstanceType<typeof x509.Extension>[] {
  let flags = 0;
  const identifiers = new Set<string>();
  for (const usage of usages) {
    const flag = KEY_USAGES[usage];
    const identifier = EXTENDED_KEY_USAGES[usage];
    if (flag !== undefined) flags |= flag;
    else if (identifier !== undefined) identifiers.add(identifier);
    else throw new PkiError(`unrecognized usage value: ${JSON.stringify(usage)}`);
  }
  return [
    // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- the library's enum is a set of bits to be or-ed
    ...(flags === 0 ? [] : [new x509.KeyUsagesExtension(flags, true)]),
    ...(identifiers.size === 0 ? [] : [new x509.ExtendedKeyUsageExtension([...identifiers].sort())]),
  ];
}

/** The usage names in a certificate or request; unknown identifiers are omitted. */
export function keyUsagesOf(extensions: readonly InstanceType<typeof x509.Extension>[]): string[] {
  const usages: string[] = [];
  for (const extension of extensions) {
    if (extension instanceof x509.KeyUsagesExtension) {
      usages.push(...keyUsageNames(extension.usages));
    } else if (extension instanceof x509.ExtendedKeyUsageExtension) {
      const { usages: statedUsages } = extension;
      usages.push(
        ...extendedKeyUsages.filter(({ identifier }) => statedUsages.includes(identifier)).map(({ name }) => name),
      );
    }
  }
  return usages;
}

/** The usage name of each of these bits. */
export function keyUsageNames(flags: number): string[] {
  const known = Object.entries(KEY_USAGES).filter(([name, flag]) => name !== 'signing' && (flags & flag) !== 0);
  return known.map(([name]) => name);
}

/** One name for each extended key usage, with its object identifier. */
export const extendedKeyUsages: readonly { readonly name: string; readonly identifier: string }[] = Object.entries(
  EXTENDED_KEY_USAGES,
)
  .filter(([name]) => name !== 's/mime')
  .map(([name, identifier]) => ({ name, identifier }));
