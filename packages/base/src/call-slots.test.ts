import { expect, test } from 'vitest';
import { CallSlots } from './call-slots.ts';

test('calls beyond the limit wait in order of arrival', async () => {
  const slots = new CallSlots(1);
  const entered: string[] = [];
  const enter = async (name: string) => {
    const leave = await slots.enter();
    entered.push(name);
    return leave;
  };
  const first = await enter('first');
  const second = enter('second');
  const third = enter('third');

  expect(entered).toEqual(['first']);
  first();
  (await second)();
  (await third)();
  expect(entered).toEqual(['first', 'second', 'third']);
  (await enter('fourth'))();
});

test('slots go to waiting calls before new ones', async () => {
  const slots = new CallSlots(2);
  const order: string[] = [];
  const enter = async (name: string) => {
    const leave = await slots.enter();
    order.push(name);
    return leave;
  };
  const [leaveFirst] = await Promise.all([enter('first'), enter('second')]);
  const waiting = [enter('third'), enter('fourth')];
  expect(order).toEqual(['first', 'second']);

  leaveFirst();
  leaveFirst();
  const leaveThird = await waiting[0];
  expect(order).toEqual(['first', 'second', 'third']);
  leaveThird?.();
  await waiting[1];
  expect(order).toEqual(['first', 'second', 'third', 'fourth']);
});

test('no slot is kept for an aborted call', async () => {
  const slots = new CallSlots(1);
  const leave = await slots.enter();
  const abort = new AbortController();
  const abortedEntry = slots.enter(abort.signal);
  const next = slots.enter();
  abort.abort(new Error('no longer'));

  await expect(abortedEntry).rejects.toThrow('no longer');
  leave();
  await expect(next).resolves.toBeTypeOf('function');
  await expect(slots.enter(abort.signal)).rejects.toThrow('no longer');
});
