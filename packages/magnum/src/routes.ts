import { QUOTA_ROUTES } from './account/quota-routes.ts';
import { ACCOUNT_ROUTES } from './account/routes.ts';
import { CERTIFICATE_ROUTES } from './certificates/routes.ts';
import { CLUSTER_CHANGE_ROUTES } from './clusters/change-routes.ts';
import { CLUSTER_CREATE_ROUTE } from './clusters/create-route.ts';
import { CLUSTER_READ_ROUTES } from './clusters/read-routes.ts';
import { CREDENTIAL_ROUTES } from './credentials/routes.ts';
import type { Route } from './http/call.ts';
import { NODEGROUP_ROUTES } from './nodegroups/routes.ts';
import { TEMPLATE_ROUTES } from './templates/routes.ts';

/** All API calls under `/v1`. */
export const ROUTES: readonly Route[] = [
  ...CLUSTER_READ_ROUTES,
  CLUSTER_CREATE_ROUTE,
  ...CLUSTER_CHANGE_ROUTES,
  ...NODEGROUP_ROUTES,
  ...TEMPLATE_ROUTES,
  ...CERTIFICATE_ROUTES,
  ...CREDENTIAL_ROUTES,
  ...QUOTA_ROUTES,
  ...ACCOUNT_ROUTES,
];
