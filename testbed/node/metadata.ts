import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

/*
 * The metadata service of a cloud, which identifies a server by its source address. Usage: metadata.ts HOSTS. HOSTS is
 * the hosts' directory.
 */

const METADATA_ADDRESS = '169.254.169.254';
const METADATA_PORT = 80;
const DOCUMENT_PATH = /^\/openstack\/(latest|\d{4}-\d{2}-\d{2})\/meta_data\.json$/;

const [hosts = ''] = process.argv.slice(2);

createServer((request, response) => {
  const metadata = DOCUMENT_PATH.test(request.url ?? '')
    ? serverMetadata(request.socket.remoteAddress ?? '')
    : undefined;
  response.writeHead(metadata ? 200 : 404, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(metadata ?? {}));
}).listen(METADATA_PORT, METADATA_ADDRESS);

/** Nova's metadata of a server; undefined for other addresses. */
function serverMetadata(address: string): object | undefined {
  const name = readdirSync(hosts).find((each) => readFact(each, 'address')?.split('/')[0] === address);
  const uuid = name && readFact(name, 'server');
  if (!uuid) return undefined;
  return { uuid, name, hostname: name, availability_zone: readFact(name, 'zone') };
}

function readFact(host: string, factName: string): string | undefined {
  try {
    return readFileSync(join(hosts, host, factName), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
