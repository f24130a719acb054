import { describe, expect, test } from 'vitest';
import { routeRequest } from './request-routing.ts';
import { parseRequestTarget } from './request-target.ts';

const FAIRWAY = '/apis/fairway.dev/v1alpha1';

function pass(method: string, url: string) {
  return routeRequest(method, parseRequestTarget(url));
}

describe('to the API server', () => {
  test.each([
    ['GET', `${FAIRWAY}/plans`],
    ['POST', `${FAIRWAY}/namespaces/red/clusters`],
    ['PATCH', `${FAIRWAY}/namespaces/red/clusters/demo`],
    ['PATCH', `${FAIRWAY}/namespaces/red/nodepools/general/scale`],
    ['PUT', `${FAIRWAY}/namespaces/red/clusters/demo/status`],
    ['DELETE', `${FAIRWAY}/namespaces/red/machines`],
    ['GET', '/api/v1/namespaces'],
    ['GET', '/api/v1/namespaces/red'],
    ['POST', '/api/v1/namespaces/red/secrets'],
    ['GET', '/api/v1/namespaces/red/secrets/cloud'],
    ['GET', '/api/v1/namespaces/red/events'],
    ['GET', '/apis/events.k8s.io/v1/namespaces/red/events'],
    ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'],
    ['POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews'],
    ['POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews'],
    ['GET', '/version'],
    ['GET', '/openapi/v2'],
    ['GET', '/openapi/v3'],
    ['GET', '/openapi/v3/apis/fairway.dev/v1alpha1?hash=ab'],
  ])('%s %s, which RBAC decides', (method, url) => {
    expect(pass(method, url)).toEqual({ to: 'api-server', isWatch: false });
  });

  test.each([
    `${FAIRWAY}/namespaces/red/nodepools?watch=true`,
    '/api/v1/namespaces/red/events?watch=1',
    `${FAIRWAY}/clusters?watch`,
    `${FAIRWAY}/clusters?watch=yes`,
    `${FAIRWAY}/clusters?watch=TRUE&watch=false`,
    // Go drops the first parameter because of its semicolon.
    `${FAIRWAY}/clusters?watch=0;&watch=1`,
    `${FAIRWAY}/clusters?%77atch=1`,
  ])('GET %s, with additional path segments', (url) => {
    expect(pass('GET', url)).toEqual({ to: 'api-server', isWatch: true });
  });
});

describe('to the gateway itself', () => {
  test.each(['/api', '/apis', '/apis/', '/api/v1', '/apis/fairway.dev', FAIRWAY, '/apis/authorization.k8s.io/v1'])(
    'GET %s is discovery',
    (url) => {
      expect(pass('GET', url)).toEqual({ to: 'discovery' });
    },
  );

  test.each([
    ['POST', 'create'],
    ['GET', 'get'],
    ['DELETE', 'delete'],
  ])('%s of clusters/kubeconfig', (method, verb) => {
    const url = `${FAIRWAY}/namespaces/red/clusters/demo/kubeconfig`;

    expect(pass(method, url)).toEqual({ to: 'kubeconfig', namespace: 'red', name: 'demo', verb });
  });

  test('POST of clusters/upgradeplan', () => {
    const url = `${FAIRWAY}/namespaces/red/clusters/demo/upgradeplan`;

    expect(pass('POST', url)).toEqual({ to: 'upgradeplan', namespace: 'red', name: 'demo', verb: 'create' });
  });
});

describe('to no destination', () => {
  test.each([
    ['GET', '/api/v1/pods', 'other workloads of the management cluster'],
    ['GET', '/api/v1/namespaces/red/pods/web/log', 'a log'],
    ['POST', '/api/v1/namespaces/red/pods/web/exec', 'a shell'],
    ['GET', '/api/v1/nodes/n/proxy/pods', 'a kubelet'],
    ['GET', '/api/v1/namespaces/red/services/web/proxy', 'a service'],
    ['GET', '/api/v1/secrets', 'Secrets of all namespaces'],
    ['GET', '/api/v1/namespaces/fairway-system/secrets', 'Fairway’s own'],
    ['GET', '/api/v1/namespaces/kube-system/secrets/x', 'Kubernetes’ own'],
    ['GET', '/api/v1/watch/namespaces/fairway-system/secrets', 'a watch as it was written long ago'],
    ['GET', '/api/v1/watch/secrets', 'the same of all namespaces'],
    ['GET', `${FAIRWAY}/watch/namespaces/red/clusters`, 'the same of Fairway’s own kinds'],
    ['GET', `${FAIRWAY}/namespaces/red/w%61tch/clusters`, 'the same, encoded'],
    ['GET', `${FAIRWAY}/proxy/namespaces/red/clusters`, 'a proxy as it was written long ago'],
    ['POST', '/api/v1/namespaces', 'namespaces are the operator’s'],
    ['PATCH', '/api/v1/namespaces/red', 'its annotations say whose cloud it is'],
    ['PUT', '/api/v1/namespaces/red/finalize', 'a subresource'],
    ['POST', '/api/v1/namespaces/red/serviceaccounts/robot/token', 'credentials of the management cluster'],
    ['POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', 'what others may'],
    ['POST', '/apis/authentication.k8s.io/v1/tokenreviews', 'whose a token is'],
    ['GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles', 'roles'],
    ['GET', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', 'definitions'],
    ['GET', '/apis/apps/v1', 'discovery of what does not pass'],
    ['POST', '/apis', 'discovery is read'],
    ['GET', '/metrics', 'the API server’s'],
    ['GET', '/logs/', 'the API server’s'],
    ['GET', '/debug/pprof/', 'the API server’s'],
    ['GET', '/', 'a list of paths'],
    ['GET', '/openapi', 'neither'],
    ['POST', '/version', 'is read'],
  ])('%s %s: %s', (method, url) => {
    expect(pass(method, url)).toMatchObject({ to: 'nowhere' });
  });

  test('has a reason that describes the request', () => {
    expect(pass('GET', '/api/v1/namespaces/red/pods/web/log')).toEqual({
      to: 'nowhere',
      reason: 'get of pods/log is not served to tenants',
    });
    expect(pass('GET', '/apis/apps/v1/deployments')).toMatchObject({
      reason: 'list of deployments.apps is not served to tenants',
    });
  });
});
