/** The spec of a Service is not supported; the message contains the field and what to do. */
export class ServiceRefused extends Error {
  override readonly name = 'ServiceRefused';
}
