import { expect, test } from 'vitest';
import { isUpstreamFloatingIp, notUpstreamReason } from './upstream-marks.ts';

const NAME = 'kube_service_peer_shop_web';
const UPSTREAM = {
  name: NAME,
  description: 'Kubernetes external service shop/web from cluster peer',
  tags: [NAME],
  project_id: 'p',
};

test.each<{ but: Partial<typeof UPSTREAM>; foreign: string | undefined; reason?: string }>([
  { but: {}, foreign: undefined },
  {
    but: { tags: ['mine', 'kube_service_peer_shop_api'] },
    foreign: undefined,
    reason: 'its first user no longer exists',
  },
  {
    but: { description: 'Kubernetes external service shop/web from cluster old' },
    foreign: undefined,
    reason: 'upstream renames all other parts if the cluster name changes',
  },
  { but: { project_id: 'q' }, foreign: 'it belongs to another project' },
  {
    but: { description: 'mine' },
    foreign: 'its description does not match the format of openstack-cloud-controller-manager',
  },
  {
    but: { name: 'kube_service_other_shop_web' },
    foreign: 'according to its description its name should be "kube_service_peer_shop_web"',
  },
  { but: { tags: [] }, foreign: 'it has no tag of openstack-cloud-controller-manager' },
  { but: { tags: ['fairway'] }, foreign: 'it has no tag of openstack-cloud-controller-manager' },
])('classifies a load balancer with $but: $foreign ($reason)', ({ but, foreign }) => {
  expect(notUpstreamReason({ ...UPSTREAM, ...but }, 'peer', 'p')).toBe(foreign);
});

test.each([
  { description: 'Floating IP for Kubernetes external service shop/web from cluster peer', isUpstreams: true },
  { description: 'of the office', isUpstreams: false },
  { description: null, isUpstreams: false },
])('recognizes a floating IP described "$description" as upstream’s: $isUpstreams', ({ description, isUpstreams }) => {
  expect(isUpstreamFloatingIp(description)).toBe(isUpstreams);
});
