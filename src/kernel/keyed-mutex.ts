/** Runs what has the same key one after the other, in the order of the calls; what has different keys side by side. */
export function keyedMutex(): <Result>(key: string, work: () => Promise<Result>) => Promise<Result> {
  const last = new Map<string, Promise<unknown>>();

  return async (key, work) => {
    const before = last.get(key);
    const result = before ? before.then(work) : work();
    const over = result.catch(() => undefined); // told to its caller; the next in turn comes all the same
    last.set(key, over);
    try {
      return await result;
    } finally {
      if (last.get(key) === over) last.delete(key);
    }
  };
}
