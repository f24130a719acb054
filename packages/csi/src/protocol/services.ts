import { readFileSync } from 'node:fs';
import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';
import protobuf from 'protobufjs';

export type Method = MethodDefinition<object, object>;

/** The services of a .proto file by name, as grpc-js registers them and clients call them. */
export function servicesOf(proto: string): Readonly<Record<string, Readonly<Record<string, Method>>>> {
  const { root, package: prefix } = protobuf.parse(proto, { keepCase: true });
  root.resolveAll();
  const { nestedArray: nested } = root.lookup(prefix ?? '') as protobuf.Namespace;
  const services = nested.filter((each) => each instanceof protobuf.Service);
  return Object.fromEntries(services.map((service) => [service.name, methodsOf(service)]));
}

/** The services of the controller. */
export function csiServices(): Readonly<Record<'Identity' | 'Controller', ServiceDefinition>> {
  const { Identity = {}, Controller = {} } = servicesOf(readFileSync(new URL('./csi.proto', import.meta.url), 'utf8'));
  return { Identity, Controller };
}

function methodsOf(service: protobuf.Service): Record<string, Method> {
  const path = service.fullName.slice(1);
  return Object.fromEntries(
    service.methodsArray.map(({ name, resolvedRequestType, resolvedResponseType }) => {
      const [requestCodec, responseCodec] = [codecOf(resolvedRequestType), codecOf(resolvedResponseType)];
      const method: Method = {
        path: `/${path}/${name}`,
        requestStream: false,
        responseStream: false,
        requestSerialize: requestCodec.write,
        requestDeserialize: requestCodec.read,
        responseSerialize: responseCodec.write,
        responseDeserialize: responseCodec.read,
      };
      return [name, method];
    }),
  );
}

/** Sizes beyond 8 PiB lose precision, but no volume has them. */
function codecOf(type: protobuf.Type | null) {
  if (type === null) throw new TypeError('method without types');
  return {
    write: (message: object) => Buffer.from(type.encode(type.fromObject(message)).finish()),
    read: (bytes: Buffer) =>
      type.toObject(type.decode(bytes), { defaults: true, arrays: true, objects: true, longs: Number }),
  };
}
