import {
  challenge,
  craftDer,
  craftPem,
  dns,
  duplicateExtensionRequest,
  email,
  extension,
  extensionRequest,
  ip,
  multiValueRdn,
  names,
  otherName,
  part,
  requestPem,
  STRINGS,
  uri,
} from './crafted-request.ts';

/** Requests that two parsers interpret differently: one reads `own`, the other reads `foreign`. */
export interface AmbiguousRequest {
  readonly form: string;
  readonly pem: string;
}

/** The name that an attacker is entitled to, and the name that the attacker wants. */
export interface AttackTarget {
  readonly node: string;
  readonly ownNames: readonly Buffer[];
  readonly foreignNode: string;
  readonly foreignNames: readonly Buffer[];
}

const utf16 = (text: string) => Buffer.from(text, 'utf16le').swap16();
const utf32 = (text: string) =>
  Buffer.concat([...Buffer.from(text, 'ascii')].map((one) => Buffer.from([0, 0, 0, one])));
const TRUE = Buffer.from('0101ff', 'hex');

/** All forms of one attack. Each is signed with its own key and accepted by at least one real-world parser. */
export function ambiguousRequests({ node, ownNames, foreignNode, foreignNames }: AttackTarget): AmbiguousRequest[] {
  const organization = part('O', 'system:nodes');
  const name = part('CN', node);
  const subject = [organization, name];
  const own = extensionRequest(names(...ownNames));
  const foreign = extensionRequest(names(...foreignNames));
  const pem = craftPem({ subject, attributes: [own] });
  const foreignPem = craftPem({ subject: [organization, part('CN', foreignNode)], attributes: [foreign] });
  const der = craftDer({ subject, attributes: [own] });
  const form = (text: string, request: Parameters<typeof craftPem>[0]) => ({ form: text, pem: craftPem(request) });
  return [
    { form: 'x before the first BEGIN, and a second request', pem: `x${pem}${foreignPem}` },
    { form: 'two blocks', pem: `${pem}${foreignPem}` },
    { form: 'a newline before', pem: `\n${pem}` },
    { form: 'text behind', pem: `${pem}more` },
    { form: 'a header', pem: pem.replace('-----\n', '-----\na: b\n\n') },
    { form: 'a header that goes on', pem: pem.replace('-----\n', '-----\na: b\n c: d\n\n') },
    { form: 'lines of 76 characters', pem: withLines(der, 76) },
    { form: 'an unfinished block before', pem: `-----BEGIN CERTIFICATE REQUEST-----\n${pem}` },
    { form: 'bytes behind the DER', pem: requestPem(Buffer.concat([der, Buffer.from('0500', 'hex')])) },
    form('two extensionRequests', { subject, attributes: [own, foreign] }),
    form('two SAN extensions in one', {
      subject,
      attributes: [extensionRequest(names(...ownNames), names(...foreignNames))],
    }),
    form('two values of one attribute', {
      subject,
      attributes: [duplicateExtensionRequest([names(...ownNames)], [names(...foreignNames)])],
    }),
    form('a challenge password', { subject, attributes: [own, challenge('x')] }),
    form('an unknown extension', {
      subject,
      attributes: [extensionRequest(names(...ownNames), extension('nameConstraints', TRUE))],
    }),
    form('the constraint CA:TRUE', {
      subject,
      attributes: [extensionRequest(extension('basicConstraints', Buffer.from('30030101ff', 'hex')))],
    }),
    form('critical FALSE, written out', {
      subject,
      attributes: [
        extensionRequest(extension('subjectAltName', Buffer.from('3003820161', 'hex'), Buffer.from('010100', 'hex'))),
      ],
    }),
    form('a last CN as UniversalString', {
      subject: [...subject, part('CN', utf32(foreignNode), STRINGS.universal)],
    }),
    form('a last CN as BMPString', { subject: [...subject, part('CN', utf16(foreignNode), STRINGS.bmp)] }),
    form('a last CN as T61String', { subject: [...subject, part('CN', foreignNode, STRINGS.t61)] }),
    form('a CN as IA5String', { subject: [organization, part('CN', node, STRINGS.ia5)] }),
    form('a second CN', { subject: [...subject, part('CN', foreignNode)] }),
    form('a first CN', { subject: [part('CN', foreignNode), ...subject] }),
    form('two CNs in one relative name', {
      subject: [organization, multiValueRdn(['CN', node], ['CN', foreignNode])],
    }),
    form('O and CN in one relative name', { subject: [multiValueRdn(['O', 'system:nodes'], ['CN', node])] }),
    form('an O as UniversalString', {
      subject: [...subject, part('O', utf32('system:masters'), STRINGS.universal)],
    }),
    form('an NUL in the CN', { subject: [organization, part('CN', `${node}\0.example.org`)] }),
    form('a CN that is not UTF-8', { subject: [organization, part('CN', Buffer.from([...Buffer.from(node), 0xff]))] }),
    form('a PrintableString with characters that it does not allow', {
      subject: [organization, part('CN', `${node}*`, STRINGS.printable)],
    }),
    form('an email address in the subject', { subject: [...subject, part('email', 'a@example.org', STRINGS.ia5)] }),
    form('an NUL in a DNS name', {
      subject,
      attributes: [extensionRequest(names(dns('kubernetes.default.svc\0.example.org')))],
    }),
    form('an address with a mask', {
      subject,
      attributes: [extensionRequest(names(ip(10, 0, 0, 1, 255, 255, 255, 0)))],
    }),
    form('an IPv4 address in IPv6', {
      subject,
      attributes: [extensionRequest(names(ip(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 0, 0, 1)))],
    }),
    form('an otherName', { subject, attributes: [extensionRequest(names(...ownNames, otherName()))] }),
    form('an email address that is not ASCII', {
      subject,
      attributes: [extensionRequest(names(email('ü@example.org')))],
    }),
    form('a URI with a user', { subject, attributes: [extensionRequest(names(uri('spiffe://a@b/c')))] }),
    form('an empty SAN', { subject, attributes: [extensionRequest(names())] }),
    form('the version 1', { subject, version: Buffer.from('020101', 'hex') }),
    form('the version in two bytes', { subject, version: Buffer.from('02020000', 'hex') }),
    form('a part behind the attributes', { subject, trailing: Buffer.from('0500', 'hex') }),
  ];
}

function withLines(der: Buffer, length: number): string {
  const lines = der.toString('base64').match(new RegExp(`.{1,${length}}`, 'g')) ?? [];
  return `-----BEGIN CERTIFICATE REQUEST-----\n${lines.join('\n')}\n-----END CERTIFICATE REQUEST-----\n`;
}
