import { z } from 'zod';
import { isOpenStackError } from '../http/openstack-error.ts';
import type { CallOptions, ServiceApi } from '../service-api.ts';
import { list } from '../types/collections.ts';
import { type DataFrame, RatedFrame } from '../types/rating.ts';

const PAGE_SIZE = 1000;
/** In `cloudkitty/api/v2/dataframes/dataframes.py`, in all releases. */
const NOTHING_FOUND = /^no resource found/i;

const FramePage = z.object({ total: z.number(), dataframes: list(RatedFrame) });

export interface FrameFilter {
  /** ISO 8601; selects periods that begin at or after this time, and end by `end`. */
  readonly begin: string;
  readonly end: string;
  readonly metric: string;
}

/** Data frames of all projects. https://docs.openstack.org/cloudkitty/latest/api-reference/v2/ */
export class Rating {
  readonly #api: ServiceApi;

  constructor(api: ServiceApi) {
    this.#api = api;
  }

  /** `GET /dataframes`, page by page: each page contains points, and a period may be split across several pages. */
  async *dataFrames({ begin, end, metric }: FrameFilter, options: CallOptions = {}): AsyncGenerator<RatedFrame, void> {
    const filter = { begin, end, filters: `type:${metric}`, limit: PAGE_SIZE };
    for (let offset = 0; ; ) {
      const page = await this.#page({ ...filter, offset }, options);
      yield* page.dataframes;
      const points = page.dataframes.flatMap(({ usage }) => Object.values(usage).flat()).length;
      offset += points;
      if (points === 0 || offset >= page.total) return;
    }
  }

  /** CloudKitty returns 404 with its own body if there is no data; a proxy's 404 says nothing about the data. */
  async #page(query: Readonly<Record<string, string | number>>, options: CallOptions) {
    try {
      return await this.#api.get(FramePage, '/dataframes', { ...options, query });
    } catch (error) {
      if (isOpenStackError(error, 'notFound') && NOTHING_FOUND.test(error.detail)) return { total: 0, dataframes: [] };
      throw error;
    }
  }

  /** `POST /dataframes`. Whether data sent twice counts twice depends on CloudKitty's storage. */
  async addDataFrames(dataframes: readonly DataFrame[], options: CallOptions = {}): Promise<void> {
    await this.#api.send('POST', '/dataframes', { ...options, body: { dataframes } });
  }
}
