import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { planProblems } from '@fairway/api/domain/plan-problems';
import { type Plan, plans } from '@fairway/api/kinds/plan';
import { ruleErrors } from '@fairway/api/validation/object-rules';
import { parseObject } from '@fairway/api/validation/schema-errors';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { htmlPage } from './html.ts';
import { markdownPage } from './markdown.ts';
import { limitsPage } from './page.ts';

const EXAMPLES = join(import.meta.dirname, '../../../../examples/plans');
const FILES = ['magnum.yaml', 'management-service.yaml'];

/** The example as stored. */
function storedPlan(file: string): Plan {
  const parsed = parseObject(plans, load(readFileSync(join(EXAMPLES, file), 'utf8')) as Plan);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
  expect(ruleErrors(plans, parsed.object, undefined)).toEqual([]);
  return parsed.object;
}

test.each(FILES)('examples/plans/%s is Ready', (file) => {
  expect(planProblems(storedPlan(file))).toEqual([]);
});

const MAGNUM = 'OpenStack Magnum';
const MANAGEMENT = 'Kubernetes management service';
const COE = 'Container Orchestration Engines';
const VERSION = 'Kubernetes version';
const IP = 'IP version';
const VOLUMES = 'Persistent volumes (PVs)';
const ACCESS_MODES = 'https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes';
const ASSIGN_PODS = 'https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/';
const SERVICES = 'https://kubernetes.io/docs/concepts/services-networking/service/';

/** The facts of an operator's page of limitations, sentence by sentence. */
const FACTS: readonly {
  readonly service: string;
  readonly heading: string;
  readonly fact: string;
  readonly url?: string;
}[] = [
  {
    service: MAGNUM,
    heading: COE,
    fact: 'In Example Cloud, Magnum only supports the kubernetes Container Orchestration Engine (COE).',
  },
  { service: MAGNUM, heading: COE, fact: 'The legacy swarm and mesos COEs are not supported.' },
  {
    service: MAGNUM,
    heading: VERSION,
    fact: 'The latest Kubernetes version you can install in Example Cloud with OpenStack Magnum is 1.27.',
  },
  {
    service: MAGNUM,
    heading: IP,
    fact: 'In Example Cloud, you can use OpenStack Magnum to deploy Kubernetes clusters that use either IPv4 or IPv6.',
  },
  { service: MAGNUM, heading: IP, fact: 'Dual-stack clusters are not supported.' },
  { service: MAGNUM, heading: IP, fact: 'Dual-stack Services are not supported.' },
  {
    service: MAGNUM,
    heading: 'Cluster networking',
    fact: 'The only supported Magnum network driver in Example Cloud is calico.',
  },
  { service: MAGNUM, heading: 'Cluster networking', fact: 'We do not support the flannel network driver' },
  {
    service: MAGNUM,
    heading: VOLUMES,
    fact: 'In Kubernetes clusters of OpenStack Magnum in Example Cloud, the only supported PV access mode is ReadWriteOnce (RWO).',
    url: ACCESS_MODES,
  },
  {
    service: MAGNUM,
    heading: VOLUMES,
    fact: 'still enables multiple Pods to access the same volume, as long as they are configured to run on the same node',
    url: ASSIGN_PODS,
  },
  {
    service: MAGNUM,
    heading: VOLUMES,
    fact: 'You cannot use ReadWriteOncePod (RWOP), ReadWriteMany (RWX) or ReadOnlyMany (ROX) PVs.',
  },
  {
    service: MANAGEMENT,
    heading: VERSION,
    fact: 'The latest Kubernetes version you can install in Example Cloud with Kubernetes management service is 1.32.',
  },
  {
    service: MANAGEMENT,
    heading: IP,
    fact: 'In Example Cloud, you can use Kubernetes management service to deploy Kubernetes clusters that use IPv4.',
  },
  { service: MANAGEMENT, heading: IP, fact: 'IPv6 clusters (whether single-stack or dual-stack) are not supported.' },
  { service: MANAGEMENT, heading: IP, fact: 'IPv6 Services (whether single-stack or dual-stack) are not supported.' },
  {
    service: MANAGEMENT,
    heading: 'Service annotations',
    fact: 'we do not support loadbalancer.openstack.org annotations for Kubernetes services of the LoadBalancer type.',
    url: 'https://github.com/kubernetes/cloud-provider-openstack/blob/master/docs/openstack-cloud-controller-manager/expose-applications-using-loadbalancer-type-service.md',
  },
  { service: MANAGEMENT, heading: 'Service annotations', fact: 'annotations for Kubernetes services', url: SERVICES },
  {
    service: MANAGEMENT,
    heading: 'Service annotations',
    fact: 'the LoadBalancer type',
    url: `${SERVICES}#loadbalancer`,
  },
  {
    service: MANAGEMENT,
    heading: VOLUMES,
    fact: 'the supported PV access modes are ReadWriteOnce (RWO) and ReadWriteOncePod (RWOP).',
    url: ACCESS_MODES,
  },
  {
    service: MANAGEMENT,
    heading: VOLUMES,
    fact: 'enables multiple Pods to access the same volume, as long as they are configured to run on the same node',
    url: ASSIGN_PODS,
  },
  {
    service: MANAGEMENT,
    heading: VOLUMES,
    fact: 'Use ReadWriteOncePod (RWOP) to restrict the volume to one pod only.',
  },
  { service: MANAGEMENT, heading: VOLUMES, fact: 'You cannot use ReadWriteMany (RWX) or ReadOnlyMany (ROX) PVs.' },
  {
    service: MANAGEMENT,
    heading: 'Dynamic volume provisioning storage classes',
    fact: 'clusters of Kubernetes management service contain a single storage class named default, which is the supported storage class you should use for all dynamically-provisioned persistent volumes.',
    url: 'https://kubernetes.io/docs/concepts/storage/storage-classes/',
  },
  {
    service: MANAGEMENT,
    heading: 'Dynamic volume provisioning storage classes',
    fact: 'We do not provide support for any user-defined storage classes.',
  },
];

const PAGE = limitsPage(FILES.map(storedPlan), { brand: 'Example Cloud', nowMs: Date.UTC(2026, 10, 30) });

/** What is printed below a heading of a service: as readers see it, and with addresses. */
interface Printed {
  readonly text: string;
  readonly source: string;
}

function printedIn(
  page: string,
  heading: RegExp,
  { service, title }: { service: string; title: string },
  read: (source: string) => string,
): Printed {
  const parts = page.split(heading);
  // Text before the first heading, then level, heading and content of each section.
  let current = '';
  for (let index = 1; index < parts.length; index += 3) {
    const [level, name = '', source = ''] = parts.slice(index, index + 3);
    if (level === '2' || level === '##') current = read(name);
    else if (current === service && read(name) === title) return { text: read(source), source };
  }
  throw new Error(`the page has no heading "${title}" for "${service}"`);
}

const readMarkdown = (source: string) =>
  source
    .replaceAll(/\]\(<?[^\s()<>]*>?\)/g, '')
    .replaceAll(/(?<!\\)[[`]/g, '')
    .replaceAll('\\', '')
    .trim();
const readHtml = (source: string) =>
  source
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll('&#39;', "'")
    .trim();

describe.each([
  { form: 'Markdown', page: markdownPage(PAGE), heading: /^(##|###) (.*)$/m, read: readMarkdown },
  { form: 'HTML', page: htmlPage(PAGE), heading: /<h([23]) id="[^"]*">([^<]*)<\/h[23]>/, read: readHtml },
])('the page in $form', ({ page, heading, read }) => {
  test.each(FACTS)('$service, $heading: $fact', ({ service, heading: title, fact, url }) => {
    const printed = printedIn(page, heading, { service, title }, read);

    expect(printed.text).toContain(fact);
    const links = [`(${url})`, `"${url}"`];
    expect(url === undefined || links.some((each) => printed.source.includes(each))).toBe(true);
  });

  test('starts with the title', () => {
    expect(read(page.split(heading)[0] ?? '')).toContain('Kubernetes service limitations');
  });
});

test('the management service has no section that only concerns Magnum', () => {
  const management = PAGE.services.find(({ name }) => name === MANAGEMENT);

  expect(management?.sections.map(({ heading }) => heading)).not.toContain(COE);
});
