import { createHash } from 'node:crypto';
import type { ImageSpec } from '../config.ts';
import {
  ApiError,
  type ApiRequest,
  type ApiResponse,
  ok,
  type Problem,
  type Route,
  type Service,
} from '../http/api.ts';
import { renderWebobProblem } from '../http/webob.ts';
import { isAdmin } from '../identity/access.ts';
import { titleOf } from '../identity/problem.ts';
import { SERVICE_LIST } from '../service-list.ts';
import type { World } from '../world.ts';

export function imageService(world: World): Service {
  return {
    name: 'image',
    prefix: SERVICE_LIST.image.prefix,
    routes: [...versionRoutes(), ...imageRoutes(world)],
    renderProblem: renderImageProblem,
  };
}

function renderImageProblem({ status, message }: Problem, { accept }: { readonly accept: string }): ApiResponse {
  return renderWebobProblem({ status, title: titleOf(status), message, accept });
}

const VISIBILITIES: ReadonlySet<string> = new Set(['public', 'private', 'shared', 'community', 'all']);

const VERSIONS = ['v2.15', 'v2.9', 'v2.7', 'v2.6', 'v2.5', 'v2.4', 'v2.3', 'v2.2', 'v2.1', 'v2.0'];

function versionRoutes(): Route[] {
  const versions = ({ serviceUrl }: ApiRequest): object => ({
    versions: VERSIONS.map((id, i) => ({
      id,
      status: i === 0 ? 'CURRENT' : 'SUPPORTED',
      links: [{ rel: 'self', href: `${serviceUrl}/v2/` }],
    })),
  });
  return [
    { method: 'GET', template: '/', open: true, handle: (request) => ({ status: 300, body: versions(request) }) },
    { method: 'GET', template: '/versions', open: true, handle: (request) => ok(versions(request)) },
  ];
}

function imageRoutes(world: World): Route[] {
  const admin = world.config.entries.find((entry) => entry.role === 'admin');
  const ownerOf = ({ project }: ImageSpec): string =>
    world.tables.projects.find(({ name }) => name === (project ?? admin?.project))?.id ?? '';
  const view = (image: ImageSpec) => imageView(image, ownerOf(image));
  /**
   * Whether the caller can see the image. Community images are listed only on request, but visible to everyone who
   * knows their ID.
   */
  const isSeen = ({ access, query }: ApiRequest, image: ImageSpec, isListed: boolean): boolean => {
    const { visibility = 'public' } = image;
    if (visibility === 'public' || isAdmin(access) || ownerOf(image) === access.projectId) return true;
    return visibility === 'community' && (!isListed || query.get('visibility') === 'community');
  };
  return [
    {
      method: 'GET',
      template: '/v2/images',
      handle: (request) => list(request, world.config.images.filter((image) => isSeen(request, image, true)).map(view)),
    },
    {
      method: 'GET',
      template: '/v2/images/{id}',
      handle: (request) => {
        const { id } = request.params;
        const image = world.config.images.find((candidate) => candidate.id === id);
        if (!image || !isSeen(request, image, false)) throw new ApiError(404, `No image found with ID ${id}`);
        return ok(view(image));
      },
    },
    {
      method: 'GET',
      template: '/v2/images/{id}/members',
      handle: () => ok({ members: [], schema: '/v2/schemas/members' }),
    },
    {
      method: 'GET',
      template: '/v2/schemas/image',
      handle: () => ok({ name: 'image', properties: {}, additionalProperties: { type: 'string' } }),
    },
  ];
}

function imageView(image: ImageSpec, owner: string): Record<string, unknown> {
  const createdAt = `${new Date(image.createdMs ?? Date.UTC(2026, 0, 1)).toISOString().slice(0, 19)}Z`;
  const digest = createHash('sha512').update(image.id).digest('hex');
  return {
    ...image.properties,
    id: image.id,
    name: image.name,
    status: 'active',
    visibility: image.visibility ?? 'public',
    protected: false,
    os_hidden: false,
    owner,
    container_format: 'bare',
    disk_format: 'qcow2',
    size: image.sizeBytes,
    virtual_size: image.minDiskGiB * 1024 ** 3,
    min_disk: image.minDiskGiB,
    min_ram: image.minRamMiB,
    checksum: createHash('md5').update(image.id).digest('hex'),
    os_hash_algo: 'sha512',
    os_hash_value: digest,
    tags: [],
    created_at: createdAt,
    updated_at: createdAt,
    self: `/v2/images/${image.id}`,
    file: `/v2/images/${image.id}/file`,
    schema: '/v2/schemas/image',
  };
}

const PAGE = new Set(['limit', 'marker', 'sort', 'sort_key', 'sort_dir', 'member_status']);
const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 1000;

function list(request: ApiRequest, views: readonly Record<string, unknown>[]): ApiResponse {
  const { query } = request;
  const filtered = views.filter((view) =>
    [...query].every(([key, value]) => PAGE.has(key) || isMatch(view, key, value)),
  );
  const [key = 'created_at', direction = 'desc'] = (
    query.get('sort') ?? `${query.get('sort_key') ?? 'created_at'}:${query.get('sort_dir') ?? 'desc'}`
  ).split(':');
  const sign = direction === 'asc' ? 1 : -1;
  const sorted = [...filtered].sort((a, b) => sign * String(a[key]).localeCompare(String(b[key])));
  const limitText = query.get('limit');
  if (limitText !== null && !/^\d+$/.test(limitText)) throw new ApiError(400, 'limit param must be an integer');
  const limit = Math.min(limitText === null ? DEFAULT_LIMIT : Number(limitText), MAX_LIMIT);
  const marker = query.get('marker');
  const at = marker === null ? -1 : sorted.findIndex((view) => view['id'] === marker);
  if (marker !== null && at === -1) throw new ApiError(400, `Invalid marker. Image could not be found.`);
  const page = sorted.slice(at + 1, at + 1 + limit);
  const rest = new URLSearchParams(query);
  rest.delete('marker');
  const first = `/v2/images${rest.size > 0 ? `?${rest.toString()}` : ''}`;
  rest.set('marker', String(page.at(-1)?.['id']));
  const hasNext = page.length > 0 && at + 1 + limit < sorted.length;
  return ok({
    images: page,
    first,
    ...(hasNext ? { next: `/v2/images?${rest.toString()}` } : {}),
    schema: '/v2/schemas/images',
  });
}

function isMatch(view: Readonly<Record<string, unknown>>, key: string, value: string): boolean {
  if (key === 'tag') return (view['tags'] as readonly string[]).includes(value);
  if (key === 'size_min') return Number(view['size']) >= Number(value);
  if (key === 'size_max') return Number(view['size']) <= Number(value);
  if (key === 'visibility') {
    if (!VISIBILITIES.has(value)) throw new ApiError(400, `Invalid visibility value: ${value}`);
    if (value === 'all') return true;
  }
  if (value.startsWith('in:')) return value.slice(3).split(',').includes(String(view[key]));
  return String(view[key]) === value || (typeof view[key] === 'boolean' && String(view[key]) === value.toLowerCase());
}
