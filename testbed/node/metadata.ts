import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

/*
 * The metadata service of a cloud: identifies a server by its source address.
 * Usage: metadata.ts HOSTS, the folder of hosts
 */

const ADDRESS = '169.254.169.254';
const PORT = 80;
const DOCUMENT = /^\/openstack\/(latest|\d{4}-\d{2}-\d{2})\/meta_data\.json$/;

const [hosts = ''] = process.argv.slice(2);

createServer((request, response) => {
  const known = DOCUMENT.test(request.url ?? '') ? described(request.socket.remoteAddress ?? '') : undefined;
  response.writeHead(known ? 200 : 404, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(known ?? {}));
}).listen(PORT, ADDRESS);

/** Nova's metadata of a server; undefined for other hosts. */
function described(address: string): object | undefined {
  const name = readdirSync(hosts).find((each) => said(each, 'address')?.split('/')[0] === address);
  const uuid = name && said(name, 'server');
  if (!uuid) return undefined;
  return { uuid, name, hostname: name, availability_zone: said(name, 'zone') };
}

function said(host: string, what: string): string | undefined {
  try {
    return readFileSync(join(hosts, host, what), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
