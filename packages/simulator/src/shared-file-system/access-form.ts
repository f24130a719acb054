import { parseCidr, parseIp } from '../network/cidr.ts';
import { badRequest } from './problem.ts';

/** Rules that a back end for NFS and CIFS supports; other rules end in error. */
export function supportsAccessType(protocol: string, type: string): boolean {
  return (protocol === 'NFS' && type === 'ip') || (protocol === 'CIFS' && type === 'user');
}

const CEPH_MICROVERSION = 13;
const IPV6_MICROVERSION = 38;

/** Validates the target of a rule, in the way that depends on the microversion. */
export function checkAccess(type: string, to: string, microversion: number): void {
  const hasCeph = microversion >= CEPH_MICROVERSION;
  if (type === 'ip') checkNetwork(to, microversion >= IPV6_MICROVERSION);
  else if (type === 'user') checkUser(to);
  else if (type === 'cert') checkCommonName(to.trim());
  else if (type === 'cephx' && hasCeph) checkCephId(to);
  else {
    const types = hasCeph ? "'ip', 'user', 'cert' or 'cephx' access types" : "'ip', 'user' or 'cert' access types";
    throw badRequest(`Only ${types} are supported.`);
  }
}

function checkNetwork(text: string, hasIpv6: boolean): void {
  const network = parseCidr(text);
  if (network === undefined || (network.version === 6 && !hasIpv6)) {
    throw badRequest(
      hasIpv6 ? `'${text}' does not appear to be an IPv4 or IPv6 network` : `Expected 4 octets in '${text}'`,
    );
  }
  if (parseIp(text.split('/')[0] ?? '')?.value !== network.first) throw badRequest(`${text} has host bits set`);
}

function checkUser(name: string): void {
  if (/^[\s|.]+$/.test(name)) {
    throw badRequest('Invalid user or group name,cannot consist solely of periods or spaces.');
  }
  if (/^.[^"/\\[\]:;|=,+*?<>]{3,254}$/.test(name)) return;
  throw badRequest(
    'Invalid user or group name. Must be 4-255 characters and consist of alphanumeric characters and exclude special characters "/\\[]:;|=,+*?<>',
  );
}

function checkCommonName(name: string): void {
  if (name.length < 1 || name.length > 64) throw badRequest('Invalid CN (common name). Must be 1-64 chars long.');
}

function checkCephId(id: string): void {
  if (id === '') throw badRequest('Ceph IDs may not be empty.');
  if (!/^[\t\n\v\f\r -~]*$/.test(id)) throw badRequest('Ceph IDs must consist of ASCII printable characters.');
  if (id.includes('.')) throw badRequest('Ceph IDs may not contain periods.');
}
