import { describe, expect, it } from 'vitest';
import { OpenStackError } from './http/openstack-error.ts';
import { ListBounds } from './list-bounds.ts';

describe("a service's list", () => {
  it.each<[string, (bounds: ListBounds) => void]>([
    ['the page after b is repeated', (bounds) => ['a', 'b', 'c', 'b'].forEach((marker) => bounds.next(marker))],
    [
      'it has more than 10000 pages',
      (bounds) => {
        for (let page = 0; page < 10_000; page++) bounds.next(page);
      },
    ],
    [
      'it has more than 1000000 entries',
      (bounds) => {
        for (let page = 0; page <= 1_000; page++) bounds.count(1_000);
      },
    ],
  ])('fails if %s', (why, read) => {
    const bounds = new ListBounds('compute', '/servers');
    expect(() => read(bounds)).toThrow(OpenStackError);
    expect(() => read(new ListBounds('compute', '/servers'))).toThrow(`the list does not end: ${why}`);
  });

  it('may have a million entries', () => {
    const bounds = new ListBounds('compute', '/servers');
    const read = () => {
      for (let page = 0; page < 1_000; page++) {
        bounds.count(1_000);
        bounds.next(page);
      }
    };
    expect(read).not.toThrow();
  });
});
