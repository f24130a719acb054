import type { Route } from '@fairway/apiserver/server/routes';
import { notFound } from '@fairway/kube/object/api-error';

const GROUP = 'apiextensions.k8s.io';
const PLURAL = 'customresourcedefinitions';

/**
 * An empty list of CustomResourceDefinitions, for everyone. kubectl requests it for a kind that it doesn't find.
 * Without it, kubectl fails with advice to turn off validation; with it, kubectl reports that the kind does not exist.
 * No other path of the group is served or in discovery.
 */
export const NO_CUSTOM_RESOURCES: Route = {
  path: `/apis/${GROUP}/v1/${PLURAL}`,
  public: true,
  handles: ({ method }) => method === 'GET',
  handle({ query }) {
    // This path serves no watch, only a complete list.
    if (query.has('watch')) throw notFound({ group: GROUP, resource: PLURAL, name: '' });
    const list = {
      kind: 'CustomResourceDefinitionList',
      apiVersion: `${GROUP}/v1`,
      metadata: { resourceVersion: '1' },
      items: [],
    };
    return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(list) };
  },
};
