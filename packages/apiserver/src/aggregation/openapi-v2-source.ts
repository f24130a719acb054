import { CallSlots } from '@fairway/base/call-slots';
import type { Clock } from '@fairway/base/clock';
import { OutboundError } from '../outbound/outbound-error.ts';
import type { RemoteApi } from './remote-api.ts';
import { askForOpenApiV2, type RemoteCheckOptions } from './remote-check.ts';
import { type RemoteDocumentV2, remoteDocumentV2 } from './remote-document-v2.ts';

interface Fetched {
  readonly atMs: number;
  readonly etag: string | undefined;
  /** Of the requested group versions. */
  readonly about: string;
  readonly chars: number;
  readonly document: RemoteDocumentV2 | undefined;
}

/** Like kube-aggregator's controller. */
const PERIOD_MS = 60_000;
const MAX_CALLS = 8;
/** Total size limit of all servers' documents. */
const MAX_CHARS = 8 * 1024 * 1024;

/** OpenAPI v2 documents of other servers, fetched on demand and at most once a minute. */
export class OpenApiV2Source {
  readonly #options: RemoteCheckOptions & { readonly clock: Clock };
  readonly #slots = new CallSlots(MAX_CALLS);
  #fetched = new Map<string, Fetched>();
  #documents: readonly RemoteDocumentV2[] = [];
  #running: Promise<void> | undefined;

  constructor(options: RemoteCheckOptions) {
    this.#options = options;
  }

  /** Those of the available servers. The same array while they are unchanged. */
  async documents(apis: readonly RemoteApi[]): Promise<readonly RemoteDocumentV2[]> {
    this.#running ??= this.#refresh(apis).finally(() => {
      this.#running = undefined;
    });
    await this.#running;
    return this.#documents;
  }

  async #refresh(apis: readonly RemoteApi[]): Promise<void> {
    const servers = Map.groupBy(apis, ({ service, caBundle = '' }) => JSON.stringify([service, caBundle]));
    const fetched = await Promise.all(
      [...servers].map(async ([key, members]) => [key, await this.#fetch(key, members)] as const),
    );
    let charsLeft = MAX_CHARS;
    const kept = fetched.filter(([, { chars }]) => (charsLeft -= chars) >= 0);
    this.#fetched = new Map(kept);
    const documents = kept.flatMap(([, { document }]) => document ?? []);
    const isSame =
      documents.length === this.#documents.length && documents.every((one, at) => one === this.#documents[at]);
    if (!isSame) this.#documents = documents;
  }

  async #fetch(key: string, apis: readonly RemoteApi[]): Promise<Fetched> {
    const [api] = apis;
    const before = this.#fetched.get(key);
    const about = JSON.stringify(apis.map(({ name }) => name));
    const nowMs = this.#options.clock.now();
    const isKnown = before?.about === about;
    if (api === undefined || (isKnown && nowMs - before.atMs < PERIOD_MS)) return before ?? nothing(nowMs, about);
    const leave = await this.#slots.enter();
    try {
      const answer = await askForOpenApiV2(this.#options, api, isKnown ? before.etag : undefined);
      if (answer === undefined) return isKnown ? { ...before, atMs: nowMs } : nothing(nowMs, about);
      const { text, etag } = answer;
      return { atMs: nowMs, etag, about, chars: text.length, document: remoteDocumentV2(text, apis) };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return isKnown ? { ...before, atMs: nowMs } : nothing(nowMs, about);
    } finally {
      leave();
    }
  }
}

function nothing(atMs: number, about: string): Fetched {
  return { atMs, etag: undefined, about, chars: 0, document: undefined };
}
