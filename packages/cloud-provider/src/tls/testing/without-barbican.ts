import type { HttpTransport } from '@fairway/openstack/http/transport';

/** A cloud whose catalog has no key-manager service. */
export function withoutBarbican(transport: HttpTransport): HttpTransport {
  return {
    async send(request, signal) {
      const response = await transport.send(request, signal);
      if (!request.url.endsWith('/auth/tokens') || !response.body.includes('"catalog"')) return response;
      const { token } = JSON.parse(response.body) as { token: { catalog: { type: string }[] } };
      const catalog = token.catalog.filter(({ type }) => type !== 'key-manager');
      return { ...response, body: JSON.stringify({ token: { ...token, catalog } }) };
    },
    close: () => transport.close(),
  };
}
