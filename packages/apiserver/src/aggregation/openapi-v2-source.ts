import { CallSlots } from '@fairway/base/call-slots';
import type { Clock } from '@fairway/base/clock';
import { OutboundError } from '../outbound/outbound-error.ts';
import type { RemoteApi } from './remote-api.ts';
import { fetchOpenApiV2, type RemoteCheckOptions } from './remote-check.ts';
import { type RemoteDocumentV2, remoteDocumentV2 } from './remote-document-v2.ts';

interface FetchedDocument {
  readonly atMs: number;
  readonly etag: string | undefined;
  /** The group versions that were requested when the document was fetched. */
  readonly apiNames: string;
  readonly chars: number;
  readonly document: RemoteDocumentV2 | undefined;
}

/** The interval of kube-aggregator's controller. */
const PERIOD_MS = 60_000;
const MAX_CALLS = 8;
/** Limit on the total size of all servers' documents. */
const MAX_CHARS = 8 * 1024 * 1024;

/** OpenAPI v2 documents from other servers, fetched on demand and at most once a minute. */
export class OpenApiV2Source {
  readonly #options: RemoteCheckOptions & { readonly clock: Clock };
  readonly #slots = new CallSlots(MAX_CALLS);
  #fetchedDocuments = new Map<string, FetchedDocument>();
  #documents: readonly RemoteDocumentV2[] = [];
  #running: Promise<void> | undefined;

  constructor(options: RemoteCheckOptions) {
    this.#options = options;
  }

  /** The documents from the available servers. Returns the same array as long as they are unchanged. */
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
    this.#fetchedDocuments = new Map(kept);
    const documents = kept.flatMap(([, { document }]) => document ?? []);
    const isSame =
      documents.length === this.#documents.length && documents.every((one, at) => one === this.#documents[at]);
    if (!isSame) this.#documents = documents;
  }

  async #fetch(key: string, apis: readonly RemoteApi[]): Promise<FetchedDocument> {
    const [api] = apis;
    const previous = this.#fetchedDocuments.get(key);
    const apiNames = JSON.stringify(apis.map(({ name }) => name));
    const nowMs = this.#options.clock.now();
    const isKnown = previous?.apiNames === apiNames;
    if (api === undefined || (isKnown && nowMs - previous.atMs < PERIOD_MS))
      return previous ?? emptyDocument(nowMs, apiNames);
    const release = await this.#slots.enter();
    try {
      const response = await fetchOpenApiV2(this.#options, api, isKnown ? previous.etag : undefined);
      if (response === undefined) return isKnown ? { ...previous, atMs: nowMs } : emptyDocument(nowMs, apiNames);
      const { text, etag } = response;
      return { atMs: nowMs, etag, apiNames, chars: text.length, document: remoteDocumentV2(text, apis) };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return isKnown ? { ...previous, atMs: nowMs } : emptyDocument(nowMs, apiNames);
    } finally {
      release();
    }
  }
}

function emptyDocument(atMs: number, apiNames: string): FetchedDocument {
  return { atMs, etag: undefined, apiNames, chars: 0, document: undefined };
}
