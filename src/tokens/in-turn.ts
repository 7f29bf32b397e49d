/** Runs what has the same key one after another, in the order of the calls. */
export type InTurn = <Value>(key: string, run: () => Promise<Value>) => Promise<Value>;

export function inTurn(): InTurn {
  const ends = new Map<string, Promise<void>>();
  return async (key, run) => {
    const turn = (ends.get(key) ?? Promise.resolve()).then(run);
    const ended = turn.then(
      () => undefined,
      () => undefined, // whoever called it has the error
    );
    ends.set(key, ended);
    try {
      return await turn;
    } finally {
      if (ends.get(key) === ended) ends.delete(key);
    }
  };
}
