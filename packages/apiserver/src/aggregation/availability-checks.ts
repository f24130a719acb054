import { CallSlots } from '@fairway/base/call-slots';
import type { Timer } from '@fairway/base/clock';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { setCondition } from '@fairway/kube/controller/conditions';
import type { APIService, APIServiceCondition } from '@fairway/kube/kinds/generated/types';
import { APIServices } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import type { Condition } from '@fairway/kube/object/meta';
import { OutboundError } from '../outbound/outbound-error.ts';
import type { Core } from '../server/core.ts';
import type { RemoteApi } from './remote-api.ts';
import { askForOpenApiHash, askForResources, type Discovered, type RemoteCheckOptions } from './remote-check.ts';
import { LOCAL, PASSED, serviceVerdict, unavailable, type Verdict } from './service-verdict.ts';

export interface AvailabilityOptions extends RemoteCheckOptions {
  readonly core: Core;
  /** With all rights. */
  readonly writer: KubeClient;
  /** What an APIService leads to now; undefined if it is served here, or gone. */
  readonly apiOf: (name: string) => RemoteApi | undefined;
  /** Takes what was found out; gives why it can't be used, if so. */
  readonly onDiscovered: (api: RemoteApi, discovered: Discovered | undefined) => string | undefined;
}

/** As upstream's resync. */
const PERIOD_MS = 30_000;
const MAX_PAUSE_MS = 60_000;
/** How often to ask for the hash of the OpenAPI document. */
const OPENAPI_PERIOD_MS = 55_000;
/** Between two checks of one APIService, whatever happens to its Service. */
const MIN_PAUSE_MS = 1000;
/** That much longer for each APIService that there is: ten checks a second in all. */
const PAUSE_OF_EACH_MS = 100;
/** Checks under way at once: what never answers takes 5 s. */
const MAX_CHECKS = 8;

interface Watched {
  timer?: Timer | undefined;
  failures: number;
  checkedMs: number;
  isRunning: boolean;
  /** Something has changed since the check began. */
  isDirty: boolean;
  openApi?: { readonly hash: string | undefined; readonly askedMs: number };
}

/**
 * Finds out whether APIServices answer, and says so in their condition Available, as kube-aggregator's controllers do. A check follows each change of an
 * APIService, its Service and its endpoints, at most one a
 * second and ten in all; else the next is 30 s later, after failures 1 s at first, doubling to a minute.
 */
export class AvailabilityChecks {
  readonly #options: AvailabilityOptions;
  readonly #watched = new Map<string, Watched>();
  readonly #slots = new CallSlots(MAX_CHECKS);
  #isClosed = false;

  constructor(options: AvailabilityOptions) {
    this.#options = options;
  }

  /** Has an APIService checked soon. */
  check(name: string): void {
    if (this.#isClosed) return;
    let watched = this.#watched.get(name);
    if (watched === undefined) {
      watched = { failures: 0, checkedMs: Number.NEGATIVE_INFINITY, isRunning: false, isDirty: false };
      this.#watched.set(name, watched);
    }
    if (watched.isRunning) watched.isDirty = true;
    else this.#checkAfter(name, watched, watched.checkedMs + this.#minPauseMs() - this.#options.clock.now());
  }

  forget(name: string): void {
    this.#watched.get(name)?.timer?.cancel();
    this.#watched.delete(name);
  }

  close(): void {
    this.#isClosed = true;
    for (const name of this.#watched.keys()) this.forget(name);
  }

  #checkAfter(name: string, watched: Watched, delayMs: number): void {
    watched.timer?.cancel();
    watched.timer = this.#options.clock.after(Math.max(0, delayMs), () => void this.#run(name, watched));
  }

  async #run(name: string, watched: Watched): Promise<void> {
    watched.isRunning = true;
    watched.isDirty = false;
    const leave = await this.#slots.enter();
    let isGood = false;
    try {
      if (this.#watched.get(name) === watched) isGood = await this.#check(name, watched);
    } catch (error) {
      this.#options.core.log.debug({ err: error, apiService: name }, 'availability not told');
    } finally {
      leave();
    }
    watched.isRunning = false;
    watched.checkedMs = this.#options.clock.now();
    watched.failures = isGood ? 0 : watched.failures + 1;
    // It may have gone, or the server may have been closed, in the meantime.
    if (this.#watched.get(name) !== watched) return;
    // What is served here changes with its APIService alone.
    if (!watched.isDirty && isGood && this.#options.apiOf(name) === undefined) this.forget(name);
    else this.#checkAfter(name, watched, watched.isDirty ? this.#minPauseMs() : this.#pauseMs(watched));
  }

  #pauseMs({ failures }: Watched): number {
    const pauseMs = failures === 0 ? PERIOD_MS : Math.min(MIN_PAUSE_MS * 2 ** (failures - 1), MAX_PAUSE_MS);
    return Math.max(pauseMs, this.#minPauseMs()) * (0.9 + this.#options.random() / 5);
  }

  #minPauseMs(): number {
    return Math.max(MIN_PAUSE_MS, this.#watched.size * PAUSE_OF_EACH_MS);
  }

  async #check(name: string, watched: Watched): Promise<boolean> {
    const verdict = await this.#verdict(name, watched);
    await this.#tell(name, verdict);
    return verdict.status === 'True';
  }

  async #verdict(name: string, watched: Watched): Promise<Verdict> {
    const { apiOf, onDiscovered, reader } = this.#options;
    const api = apiOf(name);
    if (api === undefined) return LOCAL;
    const verdict = serviceVerdict(reader, api.service) ?? (await this.#ask(api, watched));
    if (verdict.status !== 'True') onDiscovered(api, undefined);
    return verdict;
  }

  async #ask(api: RemoteApi, watched: Watched): Promise<Verdict> {
    const { clock, onDiscovered } = this.#options;
    try {
      const discovered = await askForResources(this.#options, api);
      if (clock.now() - (watched.openApi?.askedMs ?? 0) >= OPENAPI_PERIOD_MS) {
        watched.openApi = { hash: await askForOpenApiHash(this.#options, api), askedMs: clock.now() };
      }
      const complaint = onDiscovered(api, { ...discovered, openApiHash: watched.openApi?.hash });
      return complaint === undefined ? PASSED : unavailable('FailedDiscoveryCheck', complaint);
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return unavailable('FailedDiscoveryCheck', error.message);
    }
  }

  async #tell(name: string, verdict: Verdict): Promise<void> {
    const { reader, writer, clock } = this.#options;
    const service = reader.get(APIServices, '', name);
    if (service === undefined) return;
    const before = (service.status?.conditions ?? []) as Condition[];
    const conditions = setCondition(before, { type: 'Available', ...verdict }, clock.now());
    if (conditions === before) return;
    const status = { ...service.status, conditions: [...conditions] as APIServiceCondition[] };
    try {
      await writer.resource<APIService>(APIServices).updateStatus({ ...service, status });
    } catch (error) {
      // Another writer was faster: its change has the next check follow.
      if (!isApiError(error, 'Conflict', 'NotFound')) throw error;
    }
  }
}
