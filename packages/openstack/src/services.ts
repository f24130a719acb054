import { blockStorageService } from './block-storage/service.ts';
import { computeService } from './compute/service.ts';
import { identityService } from './identity/service.ts';
import { imageService } from './image/service.ts';
import { keyManagerService } from './key-manager/service.ts';
import { loadBalancerService } from './load-balancer/service.ts';
import { networkService } from './network/service.ts';
import { ratingService } from './rating/service.ts';
import type { Service } from './service.ts';
import { sharedFileSystemService } from './shared-file-system/service.ts';

/** The services that Fairway supports; everything specific to a service is derived from this list. */
export const SERVICES = [
  identityService,
  computeService,
  networkService,
  imageService,
  loadBalancerService,
  blockStorageService,
  sharedFileSystemService,
  { type: 'dns', project: 'Designate', majorVersion: /^v2$/, probe: '/zones?limit=1' },
  keyManagerService,
] as const satisfies readonly Service[];

/** Services used only by commands for operators, never by Fairway itself; clouds are not checked for them. */
export const OPERATOR_SERVICES = [ratingService] as const satisfies readonly Service[];

type Known = (typeof SERVICES)[number];
type WithClient = Extract<Known, { readonly clientName: string }>;

export type ServiceType = Known['type'];

/** The clients, by name. */
export type Clients = { readonly [S in WithClient as S['clientName']]: ReturnType<S['client']> };

type Merged<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer All) => void ? All : never;

/** All kinds that a ProjectCache keeps, by name. */
export type CachedKinds = Merged<WithClient['cached']>;
