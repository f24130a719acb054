import type { Clock } from '@fairway/base/clock';
import { trimmedEnd } from '@fairway/base/trim';
import type { HttpClient } from '../http/http-client.ts';
import { OpenStackError } from '../http/openstack-error.ts';
import { parseBody } from '../http/parse-body.ts';
import { requestIdOf } from '../http/transport.ts';
import { compareMicroversions, isMicroversion } from '../microversion.ts';
import type { ServiceDefinition } from '../service-definition.ts';
import { type ApiVersion, VersionDocument } from '../types/version.ts';

export interface MicroversionRange {
  readonly min: string;
  readonly max: string;
}

/** The service may be upgraded, or the response may have come from something else. */
const VERSIONS_TTL_MS = 24 * 60 * 60_000;

/** Version discovery of a cloud's services: fetched once a day, shared by all projects. */
export class Discovery {
  readonly #http: HttpClient;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #known = new Map<string, { readonly response: Promise<unknown>; readonly untilMs: number }>();

  constructor(http: HttpClient, clock: Pick<Clock, 'now'>) {
    this.#http = http;
    this.#clock = clock;
  }

  /** Appends the version to a catalog URL that has none: `https://cloud/compute` → `https://cloud/compute/v2.1`. */
  async versionedUrl(definition: ServiceDefinition, url: string): Promise<string> {
    if (/\/v\d+(\.\d+)?(\/|$)/.test(new URL(url).pathname)) return url;
    const { type: service, majorVersion, fixedVersion } = definition;
    if (fixedVersion !== undefined) return `${url}/${fixedVersion}`;
    return this.#cachedRequest(`version ${url}`, async () => {
      const versions = await this.#versions(service, `${url}/`);
      for (const version of versions) {
        const segment = lastSegment(version.links.find((link) => link.rel === 'self')?.href ?? version.id);
        // The link often contains the service's internal host, behind the proxy; only its last segment is usable.
        if (majorVersion.test(segment)) return `${url}/${segment}`;
      }
      const availableVersions = versions.map((version) => version.id).join(', ');
      throw this.#failure(
        service,
        `${url} offers no version that Fairway supports, only: ${availableVersions || 'none'}`,
      );
    });
  }

  /** The range of microversions at a versioned URL; undefined if the service has none. */
  async microversions(
    service: string,
    url: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<MicroversionRange | undefined> {
    const root = /^.*?\/v\d+(\.\d+)?(?=\/|$)/.exec(url)?.[0] ?? url;
    return this.#cachedRequest(`microversions ${root}`, async () => {
      const [version] = await this.#versions(service, `${root}/`, headers);
      const max = version?.max_version || version?.version;
      if (!version?.min_version || !max) return undefined;
      const range = { min: version.min_version, max };
      if (isMicroversion(range.min) && isMicroversion(range.max)) return range;
      throw this.#failure(service, `${root} returned invalid microversions`);
    });
  }

  /** The newest version at the root of a versioned URL; undefined if the service reports none. */
  async newestVersion(service: string, url: string): Promise<string | undefined> {
    const version = url.search(/\/v\d+(\.\d+)?(?=\/|$)/);
    const root = version < 0 ? url : url.slice(0, version);
    return this.#cachedRequest(`newest ${root}`, async () => {
      const versions = await this.#versions(service, `${root}/`);
      const numbers = versions.flatMap(({ id }) => /^v(\d+\.\d+)$/.exec(id)?.[1] ?? []);
      return numbers.toSorted(compareMicroversions).at(-1);
    });
  }

  async #versions(
    service: string,
    url: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<readonly ApiVersion[]> {
    const call = { service, method: 'GET', template: '/' } as const;
    const response = await this.#http.call({ ...call, url, ...(headers !== undefined && { headers }) });
    if (response.status !== 200 && response.status !== 300) {
      throw this.#failure(service, `${url} returned ${response.status} instead of its versions`, requestIdOf(response));
    }
    const document = parseBody(VersionDocument, response, call);
    if ('version' in document) return [document.version];
    return Array.isArray(document.versions) ? document.versions : document.versions.values;
  }

  #failure(service: string, message: string, requestId?: string): OpenStackError {
    const call = { service, method: 'GET', template: '/' } as const;
    return new OpenStackError({ kind: 'unavailable', ...call, message, requestId, outcome: 'notDone' });
  }

  #cachedRequest<T>(key: string, load: () => Promise<T>): Promise<T> {
    const known = this.#known.get(key);
    if (known !== undefined && this.#clock.now() < known.untilMs) return known.response as Promise<T>;
    const request = { response: load(), untilMs: this.#clock.now() + VERSIONS_TTL_MS };
    this.#known.set(key, request);
    request.response.catch(() => {
      if (this.#known.get(key) === request) this.#known.delete(key);
    });
    return request.response;
  }
}

function lastSegment(url: string): string {
  return trimmedEnd(url, '/').split('/').at(-1) ?? '';
}
