import type { Call, Reply, Route } from '../http/call.ts';
import { param } from '../http/call.ts';
import { pageOf, pageReply } from '../http/page.ts';
import { readOffer } from '../templates/find-template.ts';
import { briefView, fullView, type ViewFacts } from './cluster-view.ts';
import { findCluster, readVisibleClusters } from './stored-cluster.ts';

/** Routes that read clusters. */
export const CLUSTER_READ_ROUTES: readonly Route[] = [
  { method: 'GET', path: 'clusters', action: 'cluster:get_all', handle: (call) => list(call, false) },
  { method: 'GET', path: 'clusters/detail', action: 'cluster:detail', handle: (call) => list(call, true) },
  { method: 'GET', path: 'clusters/{cluster}', action: 'cluster:get', handle: show },
];

export async function viewFacts(call: Call): Promise<ViewFacts> {
  const { plans, templates } = await readOffer(call);
  const { services, minor, url, clock } = call;
  return { templates, plans, projectOf: services.projectOfNamespace, minor, url, nowMs: clock.now() };
}

async function list(call: Call, isDetailed: boolean): Promise<Reply> {
  const query = pageOf(call.query);
  const [facts, storedClusters] = await Promise.all([viewFacts(call), readVisibleClusters(call, isDetailed)]);
  const pageItems = storedClusters.map((stored) => {
    const { uid = '', creationTimestamp = '' } = stored.cluster.metadata;
    return {
      marker: uid,
      created: creationTimestamp,
      view: isDetailed ? fullView(stored, facts) : briefView(stored, facts),
    };
  });
  return pageReply(call, { name: 'clusters', path: `clusters${isDetailed ? '/detail' : ''}` }, pageItems, query);
}

async function show(call: Call): Promise<Reply> {
  const [facts, stored] = await Promise.all([viewFacts(call), findCluster(call, param(call, 'cluster'))]);
  return { status: 200, body: fullView(stored, facts) };
}
