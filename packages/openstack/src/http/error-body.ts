import { ErrorsBody, KeystoneErrorBody, NeutronErrorBody, NovaErrorBody } from '../types/error-body.ts';

export interface ErrorMessage {
  /** The service's message, on one line. */
  readonly message: string;
  /** Neutron's exception, Nova's fault name, Keystone's title: `OverQuota`, `itemNotFound`, `Unauthorized`. */
  readonly type?: string | undefined;
}

const MAX_TEXT_LENGTH = 500;
/** For a message from the service itself: Nova's message about a quota names many resources. */
const MAX_MESSAGE_LENGTH = 2_000;
/** The useful part of a proxy's or service's message is at the beginning. */
const MAX_BODY_LENGTH = 64 * 1024;

/** Extracts the message from 4xx and 5xx responses of services, their middleware and proxies. */
export function readErrorBody(status: number, contentType: string | undefined, whole: string): ErrorMessage {
  const body = whole.slice(0, MAX_BODY_LENGTH);
  const json = contentType?.includes('json') || /^\s*[{[]/.test(body) ? parseJson(body) : undefined;
  const error = json === undefined ? undefined : readJson(json);
  if (error === undefined) return { message: plainText(body) || `no explanation with status ${status}` };
  return { ...error, message: shortened(error.message, MAX_MESSAGE_LENGTH) };
}

function readJson(json: unknown): ErrorMessage | undefined {
  const neutron = NeutronErrorBody.safeParse(json);
  if (neutron.success) {
    const error = neutron.data.NeutronError;
    return typeof error === 'string' ? { message: error } : { message: error.message, type: error.type };
  }

  const errors = ErrorsBody.safeParse(json);
  const first = errors.success ? errors.data.errors[0] : undefined;
  if (first !== undefined) {
    return { message: first.detail ?? first.title ?? 'no explanation', type: first.code ?? first.title };
  }

  const keystone = KeystoneErrorBody.safeParse(json);
  if (keystone.success) return { message: keystone.data.error.message, type: keystone.data.error.title };

  const nova = NovaErrorBody.safeParse(json);
  const fault = nova.success ? Object.entries(nova.data)[0] : undefined;
  if (fault !== undefined) return { message: fault[1].message, type: fault[0] };

  return readFlat(json);
}

/** Glance's and Ironic's `{"message"}`, Pecan's and WSME's `{"faultstring"}`, and webob's `{"code","title","message"}`. */
function readFlat(json: unknown): ErrorMessage | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const fields = new Map<string, unknown>(Object.entries(json));
  for (const key of ['faultstring', 'message', 'error_message', 'description', 'error']) {
    const value = fields.get(key);
    if (typeof value === 'string' && value !== '') {
      const title = fields.get('title');
      return { message: plainText(value), type: typeof title === 'string' ? title : undefined };
    }
  }
  return undefined;
}

/** Glance and proxies send HTML: the heading repeats the status, and the text after it is the message. */
function plainText(body: string): string {
  const text = stripMarkup(withoutElements(body, 'h1')) || stripMarkup(body);
  return shortened(text, MAX_TEXT_LENGTH);
}

function shortened(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

function stripMarkup(body: string): string {
  return ['head', 'style', 'script']
    .reduce(withoutElements, body)
    .replace(/<[^<>]+>/g, ' ')
    .replace(/&quot;/g, '"')
    .replace(/&#39;|&#x27;/g, "'")
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * Each search for an end starts where the last one ended, and the first failure ends the search, so it runs in linear
 * time.
 */
function withoutElements(body: string, name: string): string {
  const lower = body.toLowerCase();
  const kept: string[] = [];
  let at = 0;
  for (let start = lower.indexOf(`<${name}`); start >= 0; start = lower.indexOf(`<${name}`, start + 1)) {
    if (start < at || /\w/.test(lower.charAt(start + name.length + 1))) continue;
    const end = lower.indexOf(`</${name}>`, start);
    if (end < 0) break;
    kept.push(body.slice(at, start));
    at = end + name.length + 3;
  }
  return [...kept, body.slice(at)].join(' ');
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
