import { expect, test } from 'vitest';
import { foreignness, isUpstreamFloatingIp } from './upstream-marks.ts';

const NAME = 'kube_service_peer_shop_web';
const UPSTREAM = {
  name: NAME,
  description: 'Kubernetes external service shop/web from cluster peer',
  tags: [NAME],
  project_id: 'p',
};

test.each<{ but: Partial<typeof UPSTREAM>; foreign: string | undefined; reason?: string }>([
  { but: {}, foreign: undefined },
  { but: { tags: ['mine', 'kube_service_peer_shop_api'] }, foreign: undefined, reason: 'its first user is gone' },
  {
    but: { description: 'Kubernetes external service shop/web from cluster old' },
    foreign: undefined,
    reason: 'upstream renames all but this where the cluster is called otherwise',
  },
  { but: { project_id: 'q' }, foreign: 'it is another project’s' },
  { but: { description: 'mine' }, foreign: 'its description is not one that upstream writes' },
  {
    but: { name: 'kube_service_other_shop_web' },
    foreign: 'by its description its name would be "kube_service_peer_shop_web"',
  },
  { but: { tags: [] }, foreign: 'it has no tag that upstream writes' },
  { but: { tags: ['fairway'] }, foreign: 'it has no tag that upstream writes' },
])('a load balancer with $but: $foreign ($reason)', ({ but, foreign }) => {
  expect(foreignness({ ...UPSTREAM, ...but }, 'peer', 'p')).toBe(foreign);
});

test.each([
  { description: 'Floating IP for Kubernetes external service shop/web from cluster peer', isUpstreams: true },
  { description: 'of the office', isUpstreams: false },
  { description: null, isUpstreams: false },
])('a floating IP described "$description" is of upstream’s making: $isUpstreams', ({ description, isUpstreams }) => {
  expect(isUpstreamFloatingIp(description)).toBe(isUpstreams);
});
