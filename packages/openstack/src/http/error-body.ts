import { ErrorsBody, KeystoneErrorBody, NeutronErrorBody, NovaErrorBody } from '../types/error-body.ts';

export interface ErrorMessage {
  /** The service's message, on one line. */
  readonly message: string;
  /** Neutron's exception, Nova's fault name, Keystone's title: `OverQuota`, `itemNotFound`, `Unauthorized`. */
  readonly type?: string | undefined;
}

const MAX_TEXT_LENGTH = 500;

/** Extracts the message from 4xx and 5xx responses of services, their middleware and proxies. */
export function readErrorBody(status: number, contentType: string | undefined, body: string): ErrorMessage {
  const json = contentType?.includes('json') || /^\s*[{[]/.test(body) ? parseJson(body) : undefined;
  return (
    (json !== undefined ? readJson(json) : undefined) ?? {
      message: plainText(body) || `no explanation with status ${status}`,
    }
  );
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

/** Glance and proxies send HTML: the heading repeats the status, the text after it is the message. */
function plainText(body: string): string {
  const text = stripMarkup(body.replace(/<h1>[\s\S]*?<\/h1>/i, ' ')) || stripMarkup(body);
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
}

function stripMarkup(body: string): string {
  return body
    .replace(/<(head|style|script)\b[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&quot;/g, '"')
    .replace(/&#39;|&#x27;/g, "'")
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .trim();
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
