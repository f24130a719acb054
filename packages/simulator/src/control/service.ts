import { z } from 'zod';
import { defaultVolumeLimits } from '../block-storage/volume-quota.ts';
import {
  ApiError,
  type ApiRequest,
  type ApiResponse,
  created,
  noContent,
  ok,
  type Route,
  type Service,
} from '../http/api.ts';
import type { Calls } from '../http/calls.ts';
import { FaultRule } from '../http/faults.ts';
import { isAdmin } from '../identity/access.ts';
import { renderIdentityProblem } from '../identity/problem.ts';
import type { World } from '../world.ts';

const ConsoleText = z.strictObject({ text: z.string().max(102_400) });

const QUOTA_SERVICES = [
  'compute',
  'network',
  'load-balancer',
  'block-storage',
  'key-manager',
  'shared-file-system',
] as const;
export type QuotaService = (typeof QUOTA_SERVICES)[number];

const Quota = z.strictObject({
  project: z.string(),
  limits: z.record(z.string(), z.int().min(-1)),
  service: z.enum(QUOTA_SERVICES).optional(),
});

/** The control API of the simulator for administrators: faults, quotas, consoles and call counts, under `/_sim`. */
export function controlService(world: World, calls: Calls): Service {
  const on = (method: string, template: string, handle: (request: ApiRequest) => ApiResponse): Route => ({
    method,
    template,
    handle(request) {
      if (!isAdmin(request.access)) throw new ApiError(403, 'The simulator is controlled by administrators.');
      return handle(request);
    },
  });
  return {
    name: 'control',
    prefix: '/_sim',
    routes: [
      on('GET', '/faults', () => ok({ faults: world.faults.list() })),
      on('POST', '/faults', ({ body }) => created({ id: addFault(world, body) })),
      on('DELETE', '/faults', () => {
        world.faults.clear();
        return noContent;
      }),
      on('DELETE', '/faults/{id}', ({ params }) => {
        if (!world.faults.remove(params['id'] ?? '')) throw new ApiError(404, `There is no fault ${params['id']}.`);
        return noContent;
      }),
      on('PUT', '/quotas', ({ body }) => {
        const { project, limits, service } = parse(Quota, body);
        setQuota(world, project, limits, service);
        return noContent;
      }),
      on('POST', '/consoles/{id}', ({ params, body }) => {
        world.consoles.write(params['id'] ?? '', parse(ConsoleText, body).text);
        return noContent;
      }),
      on('GET', '/calls', () => ok({ total: calls.total, counts: calls.counts(), recent: calls.recentCalls() })),
      on('DELETE', '/calls', () => {
        calls.reset();
        return noContent;
      }),
    ],
    renderProblem: renderIdentityProblem,
  };
}

function addFault(world: World, body: unknown): string {
  const rule = parse(FaultRule, body);
  try {
    return world.faults.add(rule);
  } catch (error) {
    throw new ApiError(400, error instanceof Error ? error.message : String(error));
  }
}

function parse<S extends z.ZodType>(schema: S, body: unknown): z.infer<S> {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new ApiError(400, z.prettifyError(parsed.error));
  return parsed.data;
}

/**
 * Sets the limits of a project, specified by ID or name. Each limit is set in the first service that has it. Throws an
 * ApiError for an unknown project or limit.
 */
export function setQuota(
  world: World,
  project: string,
  limits: Readonly<Record<string, number>>,
  only?: QuotaService,
): void {
  const { tables, config } = world;
  const found = tables.projects.get(project) ?? tables.projects.find((candidate) => candidate.name === project);
  if (found === undefined) throw new ApiError(404, `There is no project ${project}.`);
  const services = only === undefined ? QUOTA_SERVICES : [only];
  const known = (service: QuotaService): Readonly<Record<string, number>> =>
    service === 'block-storage' ? defaultVolumeLimits(world) : config.quotas[service];
  const serviceOf = (name: string): QuotaService | undefined => services.find((service) => name in known(service));
  for (const service of services) {
    const own = Object.entries(limits).filter(([name]) => serviceOf(name) === service);
    if (own.length === 0) continue;
    const id = `${service}/${found.id}`;
    tables.quotas.put({ id, limits: { ...tables.quotas.get(id)?.limits, ...Object.fromEntries(own) } });
  }
  const unknown = Object.keys(limits).find((name) => serviceOf(name) === undefined);
  if (unknown !== undefined) throw new ApiError(400, `There is no limit ${unknown}.`);
}
