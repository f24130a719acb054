import type { AllowListName } from '@fairway/api/domain/plan-allowance';

/** Lists of a CloudProfile, by their names on the command line. */
export type CloudList = 'flavors' | 'images' | 'zones' | 'networks' | 'volume-types' | 'quota';

/** Lists whose entries a plan may restrict. */
export const PLAN_LIMITED_LISTS: Readonly<Partial<Record<CloudList, AllowListName>>> = {
  flavors: 'flavors',
  images: 'images',
  networks: 'networks',
};
