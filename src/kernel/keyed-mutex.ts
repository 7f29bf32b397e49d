/** Runs calls with the same key one after the other, in order; other calls concurrently. */
export function keyedMutex(): <Result>(key: string, work: () => Promise<Result>) => Promise<Result> {
  const last = new Map<string, Promise<unknown>>();

  return async (key, work) => {
    const before = last.get(key);
    const result = before ? before.then(work) : work();
    const ended = result.catch(() => undefined); // its caller gets the error; the next call runs anyway
    last.set(key, ended);
    try {
      return await result;
    } finally {
      if (last.get(key) === ended) last.delete(key);
    }
  };
}

/** Runs calls one after the other, in order. */
export function mutex(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const oneByOne = keyedMutex();
  return (work) => oneByOne('', work);
}
