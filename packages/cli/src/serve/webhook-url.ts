import { InvalidArgumentError } from 'commander';

/** Parses `https://fairway.example.com:8443`; the gateway chooses the path. */
export function parseWebhookUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url?.protocol === 'https:' && url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
  if (url === undefined || !isPlain) {
    throw new InvalidArgumentError('Must be https://HOST or https://HOST:PORT, without a path.');
  }
  return url.origin;
}
