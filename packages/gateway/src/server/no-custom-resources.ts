import type { Route } from '@fairway/apiserver/server/routes';
import { notFound } from '@fairway/kube/object/api-error';

const GROUP = 'apiextensions.k8s.io';
const PLURAL = 'customresourcedefinitions';

/**
 * An empty list of CustomResourceDefinitions, to everyone. kubectl asks for it about a kind that it doesn't find, and fails with advice to turn off its
 * validation where there is none; with the list it says that there is no such kind. Nothing else of the group is served, and discovery has none of it.
 */
export const NO_CUSTOM_RESOURCES: Route = {
  path: `/apis/${GROUP}/v1/${PLURAL}`,
  public: true,
  isFor: ({ method }) => method === 'GET',
  handle({ query }) {
    // A list that ends is no watch.
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
