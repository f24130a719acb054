import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { ApiServer } from '@fairway/apiserver/server/api-server';
import type {
  HollowControlPlane,
  HollowControlPlaneOptions,
  ServerTls,
  TlsListener,
} from '@fairway/control-plane/simulated/hollow-contract';
import { createHollowControlPlane } from '@fairway/hollow/control-plane/hollow-control-plane';

/**
 * A hollow control plane whose API server supports HTTP/2 for watches. kube-apiserver does too, but the embedded server
 * does not.
 */
export function http2ControlPlane(options: HollowControlPlaneOptions): HollowControlPlane {
  const { server, ...hollow } = createHollowControlPlane(options);
  return {
    start: () => hollow.start(),
    stop: () => hollow.stop(),
    server: {
      connect: (credentials) => server.connect(credentials),
      listen: ({ host, port, tls }) => listen(server, host, port, tls),
    },
  };
}

async function listen(api: ApiServer, host: string, port: number, tls: ServerTls): Promise<TlsListener> {
  const server = createSecureServer({
    ...contextOf(tls),
    allowHTTP1: true,
    requestCert: true,
    rejectUnauthorized: false,
  });
  const open = new Set<TLSSocket>();
  server.on('secureConnection', (socket: TLSSocket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', (request: Http2ServerRequest, response: Http2ServerResponse) => {
    if (request.httpVersionMajor === 2) void watch(api, request, response).catch(() => response.stream.destroy());
    // The handler's types allow only HTTP/1 requests.
    else api.handler(request as unknown as IncomingMessage, response as unknown as ServerResponse);
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    setTls: (next) => server.setSecureContext(contextOf(next)),
    close() {
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function contextOf({ cert, key, clientCa }: ServerTls) {
  return { cert, key, ca: clientCa };
}

async function watch(api: ApiServer, request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
  const [, bearerToken] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '') ?? [];
  const clientCertificate = (request.socket as TLSSocket).getPeerX509Certificate?.()?.raw;
  const ended = new AbortController();
  response.once('close', () => ended.abort());
  const { accept } = request.headers;
  const apiResponse = await api
    .connect(() => ({ bearerToken, clientCertificate }))
    .request({
      method: 'GET',
      path: request.url,
      signal: ended.signal,
      ...(accept !== undefined && { headers: { accept } }),
    });
  response.writeHead(apiResponse.status, { 'content-type': apiResponse.headers['content-type'] ?? 'application/json' });
  if (apiResponse.status !== 200) return void response.end(await apiResponse.text());
  response.stream.write('');
  for await (const line of apiResponse.lines()) response.write(`${line}\n`);
  response.end();
}
