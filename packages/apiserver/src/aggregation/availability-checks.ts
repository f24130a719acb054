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
import { type DiscoveryResult, fetchOpenApiHash, fetchResources, type RemoteCheckOptions } from './remote-check.ts';
import { type AvailableState, LOCAL_STATE, PASSED_STATE, serviceProblem, unavailable } from './service-problem.ts';

export interface AvailabilityOptions extends RemoteCheckOptions {
  readonly core: Core;
  /** A client with full permissions. */
  readonly writer: KubeClient;
  /** The current target of an APIService; undefined if it is served here, or deleted. */
  readonly apiOf: (name: string) => RemoteApi | undefined;
  /** Processes the result. Returns the reason if the result can't be used. */
  readonly onDiscovered: (api: RemoteApi, discovered: DiscoveryResult | undefined) => string | undefined;
}

/** Same as upstream's resync period. */
const PERIOD_MS = 30_000;
const MAX_PAUSE_MS = 60_000;
/** How often to request the hash of the OpenAPI document. */
const OPENAPI_PERIOD_MS = 55_000;
/** Minimum time between two checks of one APIService, even if its Service keeps changing. */
const MIN_PAUSE_MS = 1000;
/** Additional delay per existing APIService, which limits checks to ten a second in total. */
const PAUSE_PER_API_MS = 100;
/** Maximum concurrent checks. A server that never responds occupies one slot for 5 s. */
const MAX_CHECKS = 8;

interface WatchedApi {
  timer?: Timer | undefined;
  failures: number;
  checkedMs: number;
  isRunning: boolean;
  /** Something has changed since the check started. */
  isDirty: boolean;
  openApi?: { readonly hash: string | undefined; readonly fetchedMs: number };
}

/**
 * Checks whether APIServices are available, and reports the result in their condition Available, like kube-aggregator's
 * controllers. Each change to an APIService, its Service or its endpoints triggers a check, at most once a second per
 * APIService and ten times a second in total. Otherwise, the next check follows after 30 s; after a failure, the delay
 * starts at 1 s and doubles up to a minute.
 */
export class AvailabilityChecks {
  readonly #options: AvailabilityOptions;
  readonly #watchedApis = new Map<string, WatchedApi>();
  readonly #slots = new CallSlots(MAX_CHECKS);
  #isClosed = false;

  constructor(options: AvailabilityOptions) {
    this.#options = options;
  }

  /** Schedules a check of an APIService. */
  check(name: string): void {
    if (this.#isClosed) return;
    let watched = this.#watchedApis.get(name);
    if (watched === undefined) {
      watched = { failures: 0, checkedMs: Number.NEGATIVE_INFINITY, isRunning: false, isDirty: false };
      this.#watchedApis.set(name, watched);
    }
    if (watched.isRunning) watched.isDirty = true;
    else this.#checkAfter(name, watched, watched.checkedMs + this.#minPauseMs() - this.#options.clock.now());
  }

  forget(name: string): void {
    this.#watchedApis.get(name)?.timer?.cancel();
    this.#watchedApis.delete(name);
  }

  close(): void {
    this.#isClosed = true;
    for (const name of this.#watchedApis.keys()) this.forget(name);
  }

  #checkAfter(name: string, watched: WatchedApi, delayMs: number): void {
    watched.timer?.cancel();
    watched.timer = this.#options.clock.after(Math.max(0, delayMs), () => void this.#run(name, watched));
  }

  async #run(name: string, watched: WatchedApi): Promise<void> {
    watched.isRunning = true;
    watched.isDirty = false;
    const release = await this.#slots.enter();
    let succeeded = false;
    try {
      if (this.#watchedApis.get(name) === watched) succeeded = await this.#check(name, watched);
    } catch (error) {
      this.#options.core.log.debug({ err: error, apiService: name }, 'availability not told');
    } finally {
      release();
    }
    watched.isRunning = false;
    watched.checkedMs = this.#options.clock.now();
    watched.failures = succeeded ? 0 : watched.failures + 1;
    // In the meantime, the APIService may have been deleted, or the server closed.
    if (this.#watchedApis.get(name) !== watched) return;
    // Local API groups change only together with their APIService.
    if (!watched.isDirty && succeeded && this.#options.apiOf(name) === undefined) this.forget(name);
    else this.#checkAfter(name, watched, watched.isDirty ? this.#minPauseMs() : this.#pauseMs(watched));
  }

  #pauseMs({ failures }: WatchedApi): number {
    const pauseMs = failures === 0 ? PERIOD_MS : Math.min(MIN_PAUSE_MS * 2 ** (failures - 1), MAX_PAUSE_MS);
    return Math.max(pauseMs, this.#minPauseMs()) * (0.9 + this.#options.random() / 5);
  }

  #minPauseMs(): number {
    return Math.max(MIN_PAUSE_MS, this.#watchedApis.size * PAUSE_PER_API_MS);
  }

  async #check(name: string, watched: WatchedApi): Promise<boolean> {
    const state = await this.#state(name, watched);
    await this.#patchStatus(name, state);
    return state.status === 'True';
  }

  async #state(name: string, watched: WatchedApi): Promise<AvailableState> {
    const { apiOf, onDiscovered, reader } = this.#options;
    const api = apiOf(name);
    if (api === undefined) return LOCAL_STATE;
    const state = serviceProblem(reader, api.service) ?? (await this.#queryDiscovery(api, watched));
    if (state.status !== 'True') onDiscovered(api, undefined);
    return state;
  }

  async #queryDiscovery(api: RemoteApi, watched: WatchedApi): Promise<AvailableState> {
    const { clock, onDiscovered } = this.#options;
    try {
      const discovered = await fetchResources(this.#options, api);
      if (clock.now() - (watched.openApi?.fetchedMs ?? 0) >= OPENAPI_PERIOD_MS) {
        watched.openApi = { hash: await fetchOpenApiHash(this.#options, api), fetchedMs: clock.now() };
      }
      const problem = onDiscovered(api, { ...discovered, openApiHash: watched.openApi?.hash });
      return problem === undefined ? PASSED_STATE : unavailable('FailedDiscoveryCheck', problem);
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return unavailable('FailedDiscoveryCheck', error.message);
    }
  }

  async #patchStatus(name: string, state: AvailableState): Promise<void> {
    const { reader, writer, clock } = this.#options;
    const service = reader.get(APIServices, '', name);
    if (service === undefined) return;
    const previous = (service.status?.conditions ?? []) as Condition[];
    const conditions = setCondition(previous, { type: 'Available', ...state }, clock.now());
    if (conditions === previous) return;
    const status = { ...service.status, conditions: [...conditions] as APIServiceCondition[] };
    try {
      await writer.resource<APIService>(APIServices).updateStatus({ ...service, status });
    } catch (error) {
      // Another writer got there first; its change triggers the next check.
      if (!isApiError(error, 'Conflict', 'NotFound')) throw error;
    }
  }
}
