import type { HttpTransport } from '@fairway/openstack/http/transport';

/** A cloud whose catalog has no key-manager service. */
export function withoutBarbican(transport: HttpTransport): HttpTransport {
  return {
    async send(request, signal) {
      const answer = await transport.send(request, signal);
      if (!request.url.endsWith('/auth/tokens') || !answer.body.includes('"catalog"')) return answer;
      const { token } = JSON.parse(answer.body) as { token: { catalog: { type: string }[] } };
      const catalog = token.catalog.filter(({ type }) => type !== 'key-manager');
      return { ...answer, body: JSON.stringify({ token: { ...token, catalog } }) };
    },
    close: () => transport.close(),
  };
}
