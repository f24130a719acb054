/** A Service can't have what it asks for; the message says which field, and what would do. */
export class ServiceRefused extends Error {
  override readonly name = 'ServiceRefused';
}
