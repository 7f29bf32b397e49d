import { LRUCache } from 'lru-cache';

/** For how long what was read is used: a change is in force in every instance after this time. */
const memoryMs = 1_000;

/** Reads each value again after a second, `max` at most in between. A failed read is not remembered. */
export function remembered<Value>(max: number, read: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const values = new LRUCache<string, Promise<Value>>({ max, ttl: memoryMs });
  return (key) => {
    const known = values.get(key);
    if (known) return known;
    const value = read(key);
    values.set(key, value);
    value.catch(() => values.delete(key));
    return value;
  };
}
