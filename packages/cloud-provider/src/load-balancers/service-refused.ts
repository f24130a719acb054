/** The spec of a Service is not supported; the message says which field is wrong and what to do. */
export class ServiceRefused extends Error {
  override readonly name = 'ServiceRefused';
}
