import { createHash, generateKeyPairSync } from 'node:crypto';
import { z } from 'zod';
import { type ApiRequest, type ApiResponse, noContent, ok, type Route } from '../http/api.ts';
import { parseBody } from '../http/parse-body.ts';
import { isAdmin } from '../identity/access.ts';
import type { World } from '../world.ts';
import { badRequest, conflict, forbidden, notFound, requireWriterRole } from './problem.ts';
import type { KeyPair } from './records.ts';
import { computeLimits } from './server-quota.ts';
import { preciseTime } from './server-view.ts';

const Create = z.strictObject({
  keypair: z.strictObject({
    name: z
      .string()
      .min(1)
      .max(255)
      .regex(/^[\w .@:-]+$/),
    public_key: z.string().optional(),
    type: z.enum(['ssh', 'x509']).optional(),
    user_id: z.string().optional(),
  }),
});

export function keyPairRoutes(world: World): Route[] {
  const template = '/v2.1/os-keypairs';
  return [
    { method: 'GET', template, handle: (request) => list(world, request) },
    { method: 'POST', template, handle: (request) => create(world, request) },
    { method: 'GET', template: `${template}/{name}`, handle: (request) => show(world, request) },
    {
      method: 'DELETE',
      template: `${template}/{name}`,
      handle: (request) => {
        world.tables.keyPairs.delete(find(world, request).id);
        return request.microversion >= 2 ? noContent : { status: 202 };
      },
    },
  ];
}

function ownerOf({ access, query, microversion }: ApiRequest): string {
  const requested = microversion >= 10 ? query.get('user_id') : null;
  if (requested === null || requested === access.userId) return access.userId;
  if (!isAdmin(access)) throw forbidden("Policy doesn't allow os_compute_api:os-keypairs:index to be performed.");
  return requested;
}

function find(world: World, request: ApiRequest): KeyPair {
  const owner = ownerOf(request);
  const name = request.params['name'] ?? '';
  const keyPair = world.tables.keyPairs.get(`${owner}/${name}`);
  if (keyPair === undefined) throw notFound(`Keypair ${name} not found for user ${owner}`);
  return keyPair;
}

function summaryOf({ microversion }: ApiRequest, { name, publicKey, fingerprint, type }: KeyPair): object {
  return { name, public_key: publicKey, fingerprint, ...(microversion >= 2 ? { type } : {}) };
}

function list(world: World, request: ApiRequest): ApiResponse {
  const owner = ownerOf(request);
  const own = world.tables.keyPairs.where((keyPair) => keyPair.userId === owner);
  return ok({ keypairs: own.map((keyPair) => ({ keypair: summaryOf(request, keyPair) })) });
}

function show(world: World, request: ApiRequest): ApiResponse {
  const keyPair = find(world, request);
  const detail = {
    user_id: keyPair.userId,
    id: 1,
    created_at: preciseTime(keyPair.createdMs),
    updated_at: null,
    deleted: false,
    deleted_at: null,
  };
  return ok({ keypair: { ...summaryOf(request, keyPair), ...detail } });
}

function create(world: World, request: ApiRequest): ApiResponse {
  const { access, microversion } = request;
  requireWriterRole(access, 'os-keypairs:create');
  const { keypair: body } = parseBody(Create, request.body);
  if (body.public_key === undefined && microversion >= 92)
    throw badRequest("Invalid input for field/attribute keypair. 'public_key' is a required property");
  const id = `${access.userId}/${body.name}`;
  if (world.tables.keyPairs.has(id)) throw conflict(`Key pair '${body.name}' already exists.`);
  const limit = computeLimits(world, access.projectId)['key_pairs'] ?? -1;
  const used = world.tables.keyPairs.where((keyPair) => keyPair.userId === access.userId).length;
  if (limit >= 0 && used >= limit) throw forbidden('Quota exceeded, too many key pairs.');
  const generated = body.public_key === undefined ? generateSshKey() : undefined;
  const publicKey = body.public_key ?? generated?.publicKey ?? '';
  const keyPair = world.tables.keyPairs.put({
    id,
    name: body.name,
    userId: access.userId,
    type: body.type ?? 'ssh',
    publicKey,
    fingerprint: fingerprintOf(publicKey),
    createdMs: world.clock.now(),
  });
  return {
    status: microversion >= 2 ? 201 : 200,
    body: {
      keypair: {
        ...summaryOf(request, keyPair),
        user_id: access.userId,
        ...(generated === undefined ? {} : { private_key: generated.privateKey }),
      },
    },
  };
}

function fingerprintOf(publicKey: string): string {
  const [type = '', blob = ''] = publicKey.trim().split(/\s+/);
  const content = Buffer.from(blob, 'base64');
  const length = content.length >= 4 ? content.readUInt32BE(0) : 0;
  if (content.subarray(4, 4 + length).toString() !== type || type === '') {
    throw badRequest('Keypair data is invalid: failed to generate fingerprint');
  }
  const digest = createHash('md5').update(content).digest('hex');
  return digest.match(/../g)?.join(':') ?? digest;
}

function generateSshKey(): { readonly publicKey: string; readonly privateKey: string } {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
  const blob = Buffer.concat([
    sshField(Buffer.from('ssh-rsa')),
    sshField(Buffer.from(e, 'base64url')),
    sshField(Buffer.concat([Buffer.of(0), Buffer.from(n, 'base64url')])),
  ]);
  return {
    publicKey: `ssh-rsa ${blob.toString('base64')} Generated-by-Nova`,
    privateKey: privateKey.export({ format: 'pem', type: 'pkcs1' }).toString(),
  };
}

function sshField(content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
}
