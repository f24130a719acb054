/**
 * The queues of a flow, a few out of many:
 * https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#queuing. Two flows rarely share all of their
 * queues, so a flow that fills its own queues leaves room for other flows. A per-server seed prevents clients from
 * finding colliding names.
 */
export function handOf(seed: number, flow: string, queues: number, handSize: number): number[] {
  let hash = fnv(seed, flow);
  const hand: number[] = [];
  while (hand.length < handSize) {
    hash = mix(hash);
    let card = hash % queues;
    while (hand.includes(card)) card = (card + 1) % queues;
    hand.push(card);
  }
  return hand;
}

function fnv(seed: number, text: string): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

/** One step of a full-period generator: https://prng.di.unimi.it/splitmix64.c, in 32 bits. */
function mix(state: number): number {
  let value = (state + 0x9e3779b9) | 0;
  value = Math.imul(value ^ (value >>> 16), 0x21f0aaad);
  value = Math.imul(value ^ (value >>> 15), 0x735a2d97);
  return (value ^ (value >>> 15)) >>> 0;
}
