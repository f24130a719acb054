import { expect, test } from 'vitest';
import { CallSlots } from './call-slots.ts';

test('calls beyond the number wait for those before them, in order', async () => {
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
