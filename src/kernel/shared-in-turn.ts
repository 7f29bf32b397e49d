import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * The callers of one turn of the event loop share one execution, which begins after their calls: none gets a result from
 * before its call. For callers that are woken together, as by `nextInterval`.
 */
export function sharedInTurn<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let reading: Promise<Result> | undefined;

  async function readInNextTurn(): Promise<Result> {
    await nextTurn();
    reading = undefined; // later calls need a later execution
    return read();
  }

  return () => {
    reading ??= readInNextTurn();
    return reading;
  };
}
