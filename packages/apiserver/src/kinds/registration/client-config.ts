import type { WebhookClientConfig } from '@fairway/kube/kinds/generated/types';
import type { FieldError } from '@fairway/kube/object/field-error';
import { dns1123SubdomainErrors } from '@fairway/kube/object/names';
import { invalidValue, required } from '../field-errors.ts';

const FORM_HINT = '; desired format: https://host[/path]';

/** Errors in a webhook's clientConfig, with the messages of k8s.io/apiserver/pkg/util/webhook. */
export function clientConfigErrors(path: string, config: WebhookClientConfig | undefined): FieldError[] {
  const { url, service, caBundle } = config ?? {};
  if ((url === undefined) === (service === undefined)) {
    return [required(path, 'exactly one of url or service is required')];
  }
  const bundle =
    caBundle && !Buffer.from(caBundle, 'base64').includes('-----BEGIN CERTIFICATE-----')
      ? [invalidValue(`${path}.caBundle`, caBundle, 'unable to load root certificates: it has no certificate in PEM')]
      : [];
  if (url !== undefined) return [...urlErrors(`${path}.url`, url), ...bundle];
  return [...serviceErrors(`${path}.service`, service), ...bundle];
}

function urlErrors(path: string, text: string): FieldError[] {
  if (text === '') return [invalidValue(path, text, `host must be specified${FORM_HINT}`)];
  if (!URL.canParse(text)) return [required(path, `url must be a valid URL: it cannot be parsed${FORM_HINT}`)];
  const { protocol, host, username, password, hash, search } = new URL(text);
  const errors: FieldError[] = [];
  const scheme = protocol.slice(0, -1);
  if (scheme !== 'https') errors.push(invalidValue(path, scheme, `'https' is the only allowed URL scheme${FORM_HINT}`));
  if (host === '') errors.push(invalidValue(path, host, `host must be specified${FORM_HINT}`));
  if (username + password !== '') {
    errors.push(invalidValue(path, username, `user information is not permitted in the URL${FORM_HINT}`));
  }
  if (hash !== '') errors.push(invalidValue(path, hash.slice(1), `fragments are not permitted in the URL${FORM_HINT}`));
  if (search !== '') {
    errors.push(invalidValue(path, search.slice(1), `query parameters are not permitted in the URL${FORM_HINT}`));
  }
  return errors;
}

function serviceErrors(at: string, service: WebhookClientConfig['service']): FieldError[] {
  const { name, namespace, port = 443, path } = service ?? {};
  const isPort = Number.isInteger(port) && port >= 1 && port <= 65_535;
  return [
    ...(name ? [] : [required(`${at}.name`, 'service name is required')]),
    ...(namespace ? [] : [required(`${at}.namespace`, 'service namespace is required')]),
    ...(isPort ? [] : [invalidValue(`${at}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive')]),
    ...pathErrors(`${at}.path`, path),
  ];
}

function pathErrors(at: string, path: string | undefined): FieldError[] {
  if (path === undefined || path === '' || path === '/') return [];
  if (path === '//') return [invalidValue(at, path, 'segment[0] may not be empty')];
  const rootErrors = path.startsWith('/') ? [] : [invalidValue(at, path, "must start with a '/'")];
  const segments = path.replace(/^\//, '').replace(/\/$/, '').split('/');
  return [
    ...rootErrors,
    ...segments.flatMap((segment, index) =>
      segment === ''
        ? [invalidValue(at, path, `segment[${index}] may not be empty`)]
        : dns1123SubdomainErrors(segment).map((detail) => invalidValue(at, path, `segment[${index}]: ${detail}`)),
    ),
  ];
}
