import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls back once, when a response has been sent or can no longer be sent. A response that waits behind another
 * response on its connection, as with pipelined requests, gets no event when the connection closes; so the
 * connection is observed too.
 */
export function onExchangeEnd(response: ServerResponse, callback: () => void): void {
  const { socket } = response.req;
  if (response.closed || socket.destroyed) {
    callback();
    return;
  }
  const callbacks = callbacksOf(socket);
  const end = () => {
    if (callbacks.delete(end)) callback();
  };
  callbacks.add(end);
  response.once('close', end);
}

function callbacksOf(socket: Socket): Set<() => void> {
  const known = waiting.get(socket);
  if (known !== undefined) return known;
  const callbacks = new Set<() => void>();
  waiting.set(socket, callbacks);
  socket.once('close', () => {
    for (const end of callbacks) end();
  });
  return callbacks;
}
