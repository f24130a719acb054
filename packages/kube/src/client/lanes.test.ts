import { describe, expect, it } from 'vitest';
import { Lanes } from './lanes.ts';

describe('lanes', () => {
  it('are left to those who came first', async () => {
    const lanes = new Lanes(2);
    const order: string[] = [];
    const enter = async (name: string) => {
      const leave = await lanes.enter();
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

  it('are not kept for who has given up', async () => {
    const lanes = new Lanes(1);
    const leave = await lanes.enter();
    const abort = new AbortController();
    const given = lanes.enter(abort.signal);
    const next = lanes.enter();
    abort.abort(new Error('no longer'));

    await expect(given).rejects.toThrow('no longer');
    leave();
    await expect(next).resolves.toBeTypeOf('function');
    await expect(lanes.enter(abort.signal)).rejects.toThrow('no longer');
  });
});
