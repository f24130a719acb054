import { expect, test } from 'vitest';
import { parseRequestTarget } from './request-target.ts';

test.each([
  ['/api/v1/namespaces/red/secrets/cloud?watch=true', '/api/v1/namespaces/red/secrets/cloud', 'watch=true'],
  ['/api/v1/pods??watch=true', '/api/v1/pods', '%3Fwatch=true'],
  ['/version', '/version', ''],
  ['/apis/', '/apis/', ''],
  ['/api/v1/namespaces/a%20b', '/api/v1/namespaces/a%20b', ''],
])('%s is parsed as kube-apiserver parses it', (url, path, query) => {
  const target = parseRequestTarget(url);

  expect([target.path, target.query.toString()]).toEqual([path, query]);
});

test.each([
  ['/api/v1/namespaces/red%2fsecrets', 'Go splits after it has decoded'],
  ['/api/v1/namespaces/red/../fairway-system/secrets', 'a server may walk up'],
  ['/api/v1/namespaces/red/%2e%2e/fairway-system/secrets', 'decoded, it walks up as well'],
  ['/api/v1/./namespaces', 'a server may drop it'],
  ['/api/v1//namespaces/fairway-system/secrets', 'a server may merge slashes, and names move by one'],
  ['//api/v1', 'a server may merge slashes'],
  ['/api/v1/namespaces/%zz', 'no encoding at all'],
  ['/api/v1/namespaces/red%5c..%5c', 'a backslash is a slash to some'],
  ['/api/v1/namespaces/red%00', 'a string ends here to some'],
  ['/api/v1/namespaces/red%0d%0aX-Remote-User:%20root', 'a line end where the name is written into a log'],
  ['/api/v1/namespaces/red#/secrets', 'a client never sends a fragment; some cut it off'],
  ['/api/v1/namespaces/red?watch=1#/secrets', 'the same behind the query'],
  ['https://elsewhere/api', 'the request of a client that takes the gateway for a proxy'],
  ['*', 'OPTIONS of the server as a whole'],
])('%s is refused: %s', (url) => {
  expect(() => parseRequestTarget(url)).toThrow(expect.objectContaining({ code: 400, reason: 'BadRequest' }));
});
